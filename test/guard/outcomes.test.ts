import { describe, expect, it } from "vitest";
import type { Guard } from "../../src/guard/guard-api.js";
import type { Outcome } from "../../src/guard/session/outcome.js";
import { fateOf, payGuard, revokedProxy } from "../support/guard-calls.js";

async function reserved(guard: Guard): Promise<string> {
  const verdict = await guard.propose({ tool: "pay", args: { amount: 1 } });
  return verdict.kind === "allow" ? verdict.callId : "none";
}

/** What may stand in `allowed_errors`; each column of the table below is one. */
const ENTRIES = {
  none: "[]",
  plain: '["409", busy, "5xx"]',
  notExecuted: "[{ code: busy, outcome: not_executed }]",
  unknown: "[{ code: busy, outcome: unknown }]",
  unknownStatus: "[{ status: 4xx, outcome: unknown }]",
  allKeys: "[{ status: 409, code: busy, message_regex: again, outcome: not_executed }]",
  first: "[busy, { code: busy, outcome: unknown }, { code: busy, outcome: not_executed }]",
} as const;

type Entry = keyof typeof ENTRIES;

/** R: released, I: indeterminate; in the order of ENTRIES. */
const TABLE: readonly (readonly [Outcome, string])[] = [
  [{ kind: "error", sent: false }, "RRRRRRR"],
  [{ kind: "error", sent: false, code: "busy" }, "RRRRRRR"],
  [{ kind: "error", sent: false, status: 500 }, "RRRRRRR"],
  [{ kind: "error", sent: false, status: 404, code: "busy" }, "RRRRRRR"],
  [{ kind: "error" }, "IIIIIII"],
  [{ kind: "error", sent: true }, "IIIIIII"],
  [{ kind: "error", sent: undefined, answered: undefined, status: undefined, code: undefined }, "IIIIIII"],
  [{ kind: "error", message: "again" }, "IIIIIII"],
  [{ kind: "error", code: "busy" }, "IIRIIII"],
  [{ kind: "error", sent: true, code: "busy" }, "IIRIIII"],
  [{ kind: "error", code: "ABORT_ERR" }, "IIIIIII"],
  [{ kind: "error", code: "08006" }, "IIIIIII"],
  [{ kind: "error", code: "ECONNREFUSED" }, "IIIIIII"],
  [{ kind: "error", answered: false, code: "busy" }, "IIRIIII"],
  [{ kind: "error", answered: true }, "RRRRRRR"],
  [{ kind: "error", answered: true, code: "busy" }, "RRRIRRI"],
  [{ kind: "error", answered: true, status: 500 }, "RRRRRRR"],
  [{ kind: "error", answered: true, status: 408 }, "RRRRIRR"],
  [{ kind: "error", status: 200 }, "IIIIIII"],
  [{ kind: "error", status: 302 }, "IIIIIII"],
  [{ kind: "error", status: 399 }, "IIIIIII"],
  [{ kind: "error", status: 400 }, "RRRRIRR"],
  [{ kind: "error", status: 404, code: "busy" }, "RRRIIRI"],
  [{ kind: "error", status: 408 }, "IIIIIII"],
  [{ kind: "error", status: 408, code: "busy" }, "IIRIIII"],
  [{ kind: "error", status: 409, code: "busy", message: "try again" }, "RRRIIRI"],
  [{ kind: "error", status: 429 }, "RRRRIRR"],
  [{ kind: "error", status: 499 }, "RRRRIRR"],
  [{ kind: "error", status: 500 }, "IIIIIII"],
  [{ kind: "error", status: 500, code: "busy" }, "IIRIIII"],
  [{ kind: "error", status: 503, code: "busy", message: "again" }, "IIRIIII"],
  [{ kind: "timeout" }, "IIIIIII"],
  [{ kind: "timeout", sent: true }, "IIIIIII"],
  [{ kind: "timeout", sent: undefined }, "IIIIIII"],
  [{ kind: "timeout", sent: false }, "RRRRRRR"],
  [{ kind: "did_not_happen" }, "RRRRRRR"],
];

const CELLS = TABLE.flatMap(([outcome, endings]) =>
  (Object.keys(ENTRIES) as Entry[]).map((entry, at) => ({ outcome, entry, ending: endings[at] })),
);

describe("what proves that a call did not happen", () => {
  it.each(CELLS)("$outcome under $entry: $ending", async ({ outcome, entry, ending }) => {
    const guard = await payGuard(`allowed_errors: ${ENTRIES[entry]}`);
    expect(await guard.settle(await reserved(guard), outcome)).toEqual({ accepted: true });
    expect(fateOf(guard)).toBe(ending === "R" ? "released" : "indeterminate");
    expect(guard.state().aggregates).toEqual({ paid: ending === "R" ? 0 : 1 });
  });

  it("all keys of an entry must match", async () => {
    const guard = await payGuard(`allowed_errors: ${ENTRIES.allKeys}`);
    await guard.settle(await reserved(guard), { kind: "error", status: 500, code: "busy", message: "again" });
    expect(fateOf(guard)).toBe("indeterminate");
  });

  it.each([404, 4, 44, 4001, 40_400, -404])(
    "a class of statuses is those of three digits: %i as 4xx",
    async (status) => {
      const guard = await payGuard("allowed_errors: [{ status: 4xx, code: gone, outcome: not_executed }]");
      await guard.settle(await reserved(guard), { kind: "error", status, code: "gone" });
      expect(fateOf(guard)).toBe(status === 404 ? "released" : "indeterminate");
    },
  );
});

const throwing = Object.defineProperty({ kind: "error" }, "sent", {
  enumerable: true,
  get: () => {
    throw new Error("a trap");
  },
});

const WRONG: readonly (readonly [string, unknown, RegExp])[] = [
  ["nothing", undefined, /an outcome must be an object/],
  ["null", null, /an outcome must be an object/],
  ["a text", "result", /an outcome must be an object/],
  ["a list", [], /`kind`/],
  ["no kind", {}, /`kind`/],
  ["a kind that nobody knows", { kind: "perhaps" }, /`kind`/],
  ["a kind of the prototype", { kind: "constructor" }, /`kind`/],
  ["a kind that is no text", { kind: ["error"] }, /`kind`/],
  ["a kind that is inherited", Object.create({ kind: "result" }), /`kind`/],
  ["a misspelt field", { kind: "error", sentt: false }, /"sentt"; did you mean `sent`\?/],
  ["a field of another kind", { kind: "timeout", status: 400 }, /"status"/],
  ["a field that a result has not", { kind: "result", sent: false }, /"sent"/],
  ["a field under a symbol", { kind: "error", [Symbol("sent")]: false }, /symbol/],
  ["sent that is null", { kind: "error", sent: null }, /`sent`/],
  ["sent that is zero", { kind: "error", sent: 0 }, /`sent`/],
  ["sent of a timeout that is a text", { kind: "timeout", sent: "false" }, /`sent`/],
  ["answered that is a text", { kind: "error", answered: "yes" }, /`answered`/],
  ["a status that is a text", { kind: "error", status: "404" }, /`status`/],
  ["a status that is not a number", { kind: "error", status: Number.NaN }, /`status`/],
  ["a status between two", { kind: "error", status: 404.5 }, /`status`/],
  ["a code that is a number", { kind: "error", code: 404 }, /`code`/],
  ["a message that is an object", { kind: "error", message: {} }, /`message`/],
  ["a getter that throws", throwing, /cannot be read/],
  ["a revoked proxy", revokedProxy(), /cannot be read/],
];

describe("an outcome of another shape", () => {
  // Behind a function: the test runner itself fails on a revoked proxy.
  const rows = WRONG.map(([what, outcome, words]) => ({ what, given: () => outcome, words }));
  it.each(rows)("$what is a TypeError that names the field, and changes nothing", async ({ given, words }) => {
    const guard = await payGuard();
    const callId = await reserved(guard);
    const settled = Reflect.apply(guard.settle, guard, [callId, given()]);
    await expect(settled).rejects.toThrow(TypeError);
    await expect(settled).rejects.toThrow(words);
    expect(fateOf(guard)).toBe("running");
    expect(await guard.settle(callId, { kind: "result", output: {} })).toEqual({ accepted: true });
  });

  it("is read once, so that it cannot say one thing to the check and another afterwards", async () => {
    const guard = await payGuard();
    let reads = 0;
    const outcome = Object.defineProperty({ kind: "error" as const }, "sent", {
      enumerable: true,
      get: () => {
        reads += 1;
        return reads > 1 ? false : undefined;
      },
    });
    await guard.settle(await reserved(guard), outcome);
    expect({ reads, fate: fateOf(guard) }).toEqual({ reads: 1, fate: "indeterminate" });
  });

  it("is not needed where the call id is no text: that names no call", async () => {
    const guard = await payGuard();
    await reserved(guard);
    for (const callId of [undefined, Symbol("call_1"), ["call_1"], Object("call_1"), revokedProxy(), 1]) {
      const settled = await Reflect.apply(guard.settle, guard, [callId, { kind: "did_not_happen" }]);
      expect(settled).toEqual({ accepted: false, reason: "unknown_call" });
    }
    expect(fateOf(guard)).toBe("running");
  });
});

describe("the word that a call happened after all", () => {
  const judged = `
assertions: { input_invariants: [], output_invariants: [{ path: $.ok, equals: true }] }
binds: [{ name: receipt, source: output, path: $.id }]
`;

  it.each(["", "commit_requirement: none"])("judges the output that comes with it (%s)", async (commit) => {
    for (const timedOut of [false, true]) {
      const breaker = "session_limits: { circuit_breaker: { consecutive_errors: 9 } }";
      const guard = await payGuard(`${judged}${commit}`, {}, breaker);
      const callId = await reserved(guard);
      if (timedOut && commit === "") await guard.settle(callId, { kind: "timeout" });
      const settled = await guard.settle(callId, { kind: "happened", output: { ok: false, id: 7 } });
      expect(settled).toMatchObject({ accepted: true, violation: { reason: "output_invariant_failed" } });
      expect(guard.state()).toMatchObject({ bindings: {}, toolCalls: 1, aggregates: { paid: 1 }, unsettled: [] });
    }
  });

  it("binds from an output that keeps the rules, and refuses one that is no JSON", async () => {
    const guard = await payGuard(judged);
    expect(await guard.settle(await reserved(guard), { kind: "happened", output: { ok: true, id: 7 } })).toEqual({
      accepted: true,
    });
    expect(guard.state().bindings).toEqual({ receipt: 7 });
    const odd = await guard.settle(await reserved(guard), { kind: "happened", output: 1n });
    expect(odd).toMatchObject({ accepted: true, violation: { reason: "output_not_json" } });
    expect(await guard.settle(await reserved(guard), { kind: "happened" })).toEqual({ accepted: true });
  });
});
