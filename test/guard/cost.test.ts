import { describe, expect, it } from "vitest";
import type { Artifact } from "../../src/artifact/compiled.js";
import { artifactHash } from "../../src/artifact/encode.js";
import { MOST_WORK, workDone } from "../../src/base/cost.js";
import { createGuard, type Guard, type GuardOptions } from "../../src/guard/entry.js";
import { artifactOf } from "../support/guard-artifact.js";
import { told } from "../support/guard-steps.js";

/** Far more than any judgement takes; without a bound these took from half a second to minutes. */
const HANG_MS = 20_000;

async function guardOf(pack: string, options: GuardOptions = {}): Promise<Guard> {
  return createGuard(artifactOf(pack), { env: {}, ...options });
}

async function verdictOn(pack: string, args: unknown): Promise<string> {
  const guard = await guardOf(pack);
  return told(await guard.propose({ tool: "t", args }));
}

function tool(invariant: string): string {
  return `
#== t.yaml (with the required fields)
assertions: { input_invariants: [${invariant}], output_invariants: [] }
`;
}

/** Letters in an order that no automaton foresees. */
function letters(count: number, alphabet: string): string {
  let state = 12_345;
  let text = "";
  for (let at = 0; at < count; at++) {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    text += alphabet[(state >> 16) % alphabet.length];
  }
  return text;
}

function nested(levels: number): object {
  let value: object = { b: 1 };
  for (let level = 0; level < levels; level++) value = { a: value };
  return value;
}

describe("paths that descend", () => {
  const many = tool("{ path: $..a..a..a..a..b, lte: 5 }");

  it("are judged on 600 bytes of nested arguments", { timeout: HANG_MS }, async () => {
    expect(await verdictOn(many, nested(95))).toBe("allow");
  });

  it.each([
    ["many small objects", { list: Array.from({ length: 60_000 }, (_, n) => ({ a: { b: n % 5 } })) }],
    ["deep objects", { list: Array.from({ length: 1500 }, () => nested(60)) }],
    ["one wide object", Object.fromEntries(Array.from({ length: 60_000 }, (_, n) => [`key ${n}`, n]))],
    ["a million numbers", { list: Array.from({ length: 1_000_000 }, (_, n) => n) }],
  ])("end on a megabyte of %s", { timeout: HANG_MS }, async (_, args) => {
    const guard = await guardOf(many);
    const verdict = told(await guard.propose({ tool: "t", args }));
    expect(["allow", "input_invariant_failed", "unjudgeable_cost"]).toContain(verdict);
  });

  it("block where a budget does not last, by the rule that met its end", { timeout: HANG_MS }, async () => {
    const guard = await guardOf(tool("{ path: $.n, lte: 5 }, { path: $..*..*..*, type: number }"));
    const args = { n: 1, list: Array.from({ length: 100_000 }, () => [[1]]) };
    const verdict = await guard.propose({ tool: "t", args });
    expect(verdict).toMatchObject({ kind: "block", reason: "unjudgeable_cost", rule: { file: "t.yaml" } });
    expect(guard.explain({ tool: "t", args }).map(told)).toEqual(["unjudgeable_cost"]);
    expect(guard.state()).toMatchObject({ toolCalls: 0, unsettled: [] });
  });
});

describe("patterns", () => {
  const COSTLY = tool('{ path: $.text, regex: "a.{0,200}c$" }');

  it.each([
    ["10 KB", 10_000, "input_invariant_failed"],
    ["1 MB", 1_000_000, "unjudgeable_cost"],
  ])("that remember much end on %s of text", { timeout: HANG_MS }, async (_, size, expected) => {
    expect(await verdictOn(COSTLY, { text: `c${letters(size, "ab")}` })).toBe(expected);
  });

  it.each([
    "(a+)+$",
    "^(a|a)*b",
    "(?:a|b)*a(?:a|b){12}$",
    "[ab]{1,1000}!",
    "(?:a?){300}c",
    "x*y",
    "^[ab]+$",
    "secret",
    "\\\\.(?:exe|dll)$",
    "^(?:[a-z0-9]{2,8}-){2,4}[0-9]+$",
  ])("end on any text within the limits: %s", { timeout: HANG_MS }, async (regex) => {
    for (const text of [letters(1_000_000, "ab"), "a".repeat(16_000_000), "ab😀".repeat(200_000)]) {
      const verdict = await verdictOn(tool(`{ path: $.text, regex: "${regex}" }`), { text });
      expect(["allow", "input_invariant_failed", "unjudgeable_cost"]).toContain(verdict);
    }
  });

  it.each([
    [
      "a short pattern on a text of 400,000 characters",
      "(a+)+$",
      `${letters(400_000, "ab ")}b`,
      "input_invariant_failed",
    ],
    [
      "a word in a text of a million characters",
      "confidential",
      letters(1_000_000, "abcdefghijklmnopqrstuvwxyz "),
      "input_invariant_failed",
    ],
    ["a large pattern on a text of 1,000 characters", "[ab]{1,1000}!", letters(1000, "ab"), "input_invariant_failed"],
    ["a pattern for native texts on 300,000 characters", "^[ab]+$", letters(300_000, "ab"), "allow"],
  ])("judge %s", { timeout: HANG_MS }, async (_, regex, text, expected) => {
    expect(await verdictOn(tool(`{ path: $.text, regex: "${regex}" }`), { text })).toBe(expected);
  });

  it.each([
    ["as many choices as there may be", `(?:${"a|".repeat(1240)}a)c`],
    ["as many repetitions as there may be", "(?:a*){620}c"],
    ["as many states as there may be", "[ab]{1,1000}(?:a?){100}!"],
  ])("judge 1,000 characters also with %s", { timeout: HANG_MS }, async (_, regex) => {
    for (const text of ["a".repeat(1000), "ab".repeat(500), "€".repeat(1000), "😀".repeat(1000)]) {
      expect(await verdictOn(tool(`{ path: $.text, regex: "${regex}" }`), { text })).toBe("input_invariant_failed");
    }
  });

  it("share one budget over all values of a call", { timeout: HANG_MS }, async () => {
    const pack = tool('{ path: "$.list[*]", regex: "a.{0,20}[bc]$" }');
    const text = `${letters(60, "ab")}b`;
    expect(await verdictOn(pack, { list: Array.from({ length: 500 }, () => text) })).toBe("allow");
    expect(await verdictOn(pack, { list: Array.from({ length: 100_000 }, () => text) })).toBe("unjudgeable_cost");
  });

  it("judge ten thousand values of an ordinary pattern", { timeout: HANG_MS }, async () => {
    const pack = tool('{ path: "$.list[*]", regex: "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{12}$" }');
    const list = Array.from({ length: 10_000 }, () => "0123abcd-01ef-0123456789ab");
    expect(await verdictOn(pack, { list })).toBe("allow");
  });

  it("cost the same in a guard that has judged before as in a new one", { timeout: HANG_MS }, async () => {
    const guard = await guardOf(COSTLY);
    const sizes = [20_000, 5000, 10_000, 20_000];
    const verdicts = await Promise.all(
      sizes.map(async (size) => {
        const args = { text: letters(size, "ab") };
        return [told(await guard.propose({ tool: "t", args })), await verdictOn(COSTLY, args)];
      }),
    );
    for (const [one, other] of verdicts) expect(one).toBe(other);
  });
});

describe("conditions that cannot be judged at any reasonable cost", () => {
  const text = letters(1_000_000, "ab");

  it("of a checkpoint block the call", { timeout: HANG_MS }, async () => {
    const pack = `
#== t.yaml (with the required fields)
checkpoint: { when: [{ path: "$..*..*..*", gte: 500 }], timeout_seconds: 60 }
`;
    const guard = await guardOf(pack, { approver: "manual" });
    const list = Array.from({ length: 100_000 }, () => [[1]]);
    expect(told(await guard.propose({ tool: "t", args: { list } }))).toBe("unjudgeable_cost");
    expect(guard.explain({ tool: "t", args: { list } }).map(told)).toEqual(["unjudgeable_cost"]);
    expect(told(await guard.propose({ tool: "t", args: { list: [[1]] } }))).toBe("allow");
  });

  it("of a policy block and hide the tool", { timeout: HANG_MS }, async () => {
    const pack = `
#== session.yaml (with the required fields)
policy: { rules: [{ deny: { principal: { path: $.name, regex: "a.{0,200}c$" } } }] }
#== t.yaml (with the required fields)
`;
    const guard = await guardOf(pack, { principal: { name: text } });
    expect(told(await guard.propose({ tool: "t", args: {} }))).toBe("unjudgeable_cost");
    expect(guard.visibleTools()).toEqual({ visible: [], hidden: [{ tool: "t", reason: "unjudgeable_cost" }] });
  });

  it("of an output withhold it, and the call counts", { timeout: HANG_MS }, async () => {
    const pack = `
#== t.yaml (with the required fields)
assertions: { input_invariants: [], output_invariants: [{ path: $.text, regex: "a.{0,200}c$" }] }
`;
    const guard = await guardOf(pack);
    const call = guard.wrap(async () => ({ text }));
    await expect(call("t", {})).rejects.toThrow("unjudgeable_cost: judging the call would take more work");
    expect(guard.state()).toMatchObject({ toolCalls: 1, unsettled: [] });
  });

  it("of a prior output satisfy nothing", { timeout: HANG_MS }, async () => {
    const pack = `
#== t.yaml (with the required fields)
#== next.yaml (with the required fields)
preconditions: [{ requires_prior_tool: t, with_output: [{ path: $.text, regex: "^(?:.{0,200}b)*$" }] }]
`;
    const guard = await guardOf(pack);
    const first = await guard.propose({ tool: "t", args: {} });
    if (first.kind === "allow") await guard.settle(first.callId, { kind: "result", output: { text } });
    expect(told(await guard.propose({ tool: "next", args: {} }))).toBe("prior_output_mismatch");
  });

  it.each([
    ["not_executed", "indeterminate"],
    ["unknown", "indeterminate"],
  ])("of an error message that would mean %s leave the call %s", { timeout: HANG_MS }, async (outcome, status) => {
    const pack = `
#== t.yaml (with the required fields)
side_effect: write
allowed_errors: [{ message_regex: "a.{0,200}b$", outcome: ${outcome} }]
`;
    const guard = await guardOf(pack);
    const verdict = await guard.propose({ tool: "t", args: {} });
    if (verdict.kind !== "allow") throw new Error(verdict.kind);
    await guard.settle(verdict.callId, { kind: "error", sent: true, status: 500, message: `${text}b` });
    expect(guard.state().unsettled).toMatchObject([{ status }]);
  });

  it("in shadow mode let the call pass and say so", { timeout: HANG_MS }, async () => {
    const guard = await guardOf(tool('{ path: $.text, regex: "a.{0,200}c$" }'), { mode: "shadow" });
    const verdict = await guard.propose({ tool: "t", args: { text } });
    expect(verdict).toMatchObject({ kind: "allow", would: { reason: "unjudgeable_cost" } });
  });
});

describe("whatever else a call can make much work of", () => {
  const numbers = Array.from({ length: 300_000 }, (_, n) => (n % 2 === 0 ? 1e308 : 1.2345678901234567e-308));
  const wide = Object.fromEntries(Array.from({ length: 65_000 }, (_, n) => [`${(n * 7919) % 1_048_583}k`, n]));
  const long = Array.from({ length: 5000 }, (_, n) => `value number ${n}`);

  it.each([
    [
      "sums of numbers far apart",
      '#== session.yaml (with the required fields)\naggregates: [{ name: total, metric: sum, tool: t, path: "$.list[*]", lte: 5, reason: Few }]\n#== t.yaml (with the required fields)\n',
      { list: numbers },
    ],
    [
      "a long one_of for many values",
      tool(`{ path: "$.list[*]", one_of: ${JSON.stringify(long)} }`),
      { list: Array.from({ length: 100_000 }, () => "value number 4999") },
    ],
    ["a comparison with a wide object", tool("{ path: $, equals: { a: 1 } }"), wide],
    [
      "a long part in a long text",
      tool(`{ path: $.text, contains: b${"a".repeat(20_000)} }`),
      { text: "a".repeat(10_000_000) },
    ],
  ])("ends: %s", { timeout: 2 * HANG_MS }, async (_, pack, args) => {
    const verdict = await verdictOn(pack, args);
    expect(["input_invariant_failed", "aggregate_exceeded", "unjudgeable_cost", "allow"]).toContain(verdict);
  });

  const items = Array.from({ length: 1_000_000 }, (_, n) => n);
  const object = Object.fromEntries(Array.from({ length: 65_536 }, (_, n) => [`k${n}`, n]));
  const DEFINED = `
#== t.yaml (with the required fields)
#== tools.json
[{ "name": "t", "description": "d", "inputSchema": { "type": "object", "properties": { "list": { "type": "array" } } } }]
`;
  const LOOPS =
    "#== session.yaml (with the required fields)\nsession_limits: { loop_detection: { window: 5, threshold: 1 } }\n#== t.yaml (with the required fields)\n";

  it.each([
    ["a short part that begins everywhere", tool("{ path: $.a, contains: ab }"), { a: "a".repeat(16_000_000) }],
    [
      "a long part of which much is everywhere",
      tool(`{ path: $.a, contains: ${"a".repeat(300)}b }`),
      { a: "a".repeat(1_000_000) },
    ],
    ["a length in characters", tool("{ path: $.a, length_lte: 8388608 }"), { a: "😀".repeat(8_388_000) }],
    ["items that two selectors pick", tool('{ path: "$.a[0:,0]", gte: 0 }'), { a: items }],
    ["wide objects under a schema", DEFINED, { list: Array.from({ length: 8 }, () => object) }],
    ["surrogates that are no pairs", LOOPS, { a: "\ud800".repeat(2_000_000) }],
    ["short texts of such surrogates", LOOPS, { a: Array.from({ length: 60_000 }, () => "\ud800".repeat(16)) }],
  ])("blocks: %s", { timeout: 2 * HANG_MS }, async (_, pack, args) => {
    expect(await verdictOn(pack, args)).toBe("unjudgeable_cost");
  });

  it.each([
    ["a part of a text of six million characters", tool("{ path: $.a, contains: ab }"), `${"a".repeat(6_000_000)}b`],
    [
      "a long part at the end",
      tool(`{ path: $.a, contains: ${"ab".repeat(300)}c }`),
      `${"ab".repeat(5000)}${"ab".repeat(300)}c`,
    ],
    ["items of 200,000 that two selectors pick", tool('{ path: "$.a[0:,0]", gte: 0 }'), items.slice(0, 200_000)],
  ])("judges: %s", { timeout: HANG_MS }, async (_, pack, a) => {
    expect(await verdictOn(pack, { a })).toBe("allow");
  });

  it("ends: the same wide arguments again and again", { timeout: 6 * HANG_MS }, async () => {
    const guard = await guardOf(
      "#== session.yaml (with the required fields)\nsession_limits: { loop_detection: { window: 5, threshold: 3 } }\n#== t.yaml (with the required fields)\n",
    );
    const verdicts: string[] = [];
    for (let call = 0; call < 4; call++) verdicts.push(told(await guard.propose({ tool: "t", args: wide })));
    expect(verdicts).toEqual(["allow", "allow", "unjudgeable_cost", "unjudgeable_cost"]);
  });
});

/** Slots `s0`, `s1`, … that a tool `p` binds, and a sum over `t` whose bound hangs on each of them. */
function bounded(slots: number, conditions: string): string {
  const names = Array.from({ length: slots }, (_, n) => n);
  return `
#== session.yaml (with the required fields)
aggregates: [{ name: total, metric: sum, tool: t, path: $.n, lte: 10, reason: Few, when: [${conditions}] }]
#== p.yaml (with the required fields)
side_effect: write
binds: [${names.map((n) => `{ name: s${n}, path: $.v${n} }`).join(", ")}]
#== t.yaml (with the required fields)
side_effect: write
`;
}

describe("sums whose bounds hang on many slots", () => {
  const SLOTS = 26;
  const names = Array.from({ length: SLOTS }, (_, n) => n);
  const valuesOf = (value: number) => Object.fromEntries(names.map((n) => [`v${n}`, value]));
  const openBinders = async (pack: string, values: readonly number[]) => {
    const guard = await guardOf(pack);
    for (const value of values) await guard.propose({ tool: "p", args: valuesOf(value) });
    return guard;
  };

  it("are judged while many calls may rebind all of them", { timeout: HANG_MS }, async () => {
    const pack = bounded(SLOTS, names.map((n) => `{ binding: s${n}, equals: 7, then_lte: 5 }`).join(", "));
    const harmless = await openBinders(pack, [1, 2, 3, 1, 2, 3]);
    expect(told(await harmless.propose({ tool: "t", args: { n: 6 } }))).toBe("allow");
    const stricter = await openBinders(pack, [1, 2, 7, 1, 2, 7]);
    expect(told(await stricter.propose({ tool: "t", args: { n: 6 } }))).toBe("aggregate_exceeded");
    expect(told(await stricter.propose({ tool: "t", args: { n: 5 } }))).toBe("allow");
  });

  const twice = (all: readonly number[]) =>
    [7, 1].flatMap((value) => all.map((n) => `{ binding: s${n}, equals: ${value}, then_lte: ${value === 1 ? 9 : 5} }`));

  it("are judged where the conditions ask for all slots twice", { timeout: HANG_MS }, async () => {
    const guard = await openBinders(bounded(SLOTS, twice(names).join(", ")), [1, 2, 3, 1, 2, 3]);
    expect(told(await guard.propose({ tool: "t", args: { n: 10 } }))).toBe("aggregate_exceeded");
    expect(told(await guard.propose({ tool: "t", args: { n: 6 } }))).toBe("allow");
  });

  it("block where that is so with many calls", { timeout: HANG_MS }, async () => {
    const values = Array.from({ length: 12 }, (_, n) => 1 + (n % 3));
    const guard = await openBinders(bounded(SLOTS, twice(names).join(", ")), values);
    expect(told(await guard.propose({ tool: "t", args: { n: 6 } }))).toBe("unjudgeable_cost");
  });
});

describe("texts of refusals", () => {
  const MOST = 2100;

  it("are cut, however many values a contract lists", { timeout: HANG_MS }, async () => {
    const operators = Array.from({ length: 5 }, (_, n) => `regex: "${"x".repeat(900)}${n}"`);
    const guard = await guardOf(tool(operators.map((regex) => `{ path: $.a, ${regex}, contains: y }`).join(", ")));
    const verdict = await guard.propose({ tool: "t", args: { a: 1 } });
    if (verdict.kind !== "block") throw new Error(verdict.kind);
    for (const text of [verdict.required, verdict.found, verdict.hint]) expect((text ?? "").length).toBeLessThan(MOST);
  });
});

describe("values that are no JSON to the guard", () => {
  const wide = (members: number) => Object.fromEntries(Array.from({ length: members }, (_, n) => [`k${n}`, n]));

  it("are objects with more members than can be copied in time", { timeout: HANG_MS }, async () => {
    const guard = await guardOf(tool(""));
    expect(told(await guard.propose({ tool: "t", args: wide(65_536) }))).toBe("allow");
    expect(await guard.propose({ tool: "t", args: { deep: [wide(65_537)] } })).toMatchObject({
      reason: "arguments_not_json",
      found: "an object with more than 65536 members",
    });
  });

  const hostile = (): object => ({
    get x() {
      throw new Proxy(
        {},
        {
          getPrototypeOf() {
            throw new Error("asked what it is");
          },
        },
      );
    },
  });

  it("are those that throw what cannot be looked at", async () => {
    const artifact = artifactOf(tool(""));
    const guard = await createGuard(artifact, { env: {} });
    expect(told(await guard.propose({ tool: "t", args: hostile() }))).toBe("arguments_not_json");
    expect(guard.explain({ tool: "t", args: hostile() }).map(told)).toEqual(["arguments_not_json"]);
    const verdict = await guard.propose({ tool: "t", args: {} });
    if (verdict.kind !== "allow") throw new Error(verdict.kind);
    expect(await guard.settle(verdict.callId, { kind: "result", output: hostile() })).toMatchObject({
      violation: { reason: "output_not_json" },
    });
    expect(guard.checkResponse({ provider: "openai", response: hostile() })).toMatchObject({
      reason: "response_unreadable",
    });
    await expect(createGuard(artifact, { env: {}, principal: hostile() })).rejects.toThrow(TypeError);
  });
});

describe("the judgements of one operation", () => {
  const MANY = Array.from({ length: 60 }, (_, n) => n);
  const large = { a: Array.from({ length: 90_000 }, () => ({ x: { z: 1 } })) };

  /** A call that was let through. */
  async function allowed(guard: Guard, name: string, args: unknown): Promise<string> {
    const verdict = await guard.propose({ tool: name, args });
    if (verdict.kind !== "allow") throw new Error(verdict.kind);
    return verdict.callId;
  }

  it("share a budget: preconditions that watch one call", { timeout: HANG_MS }, async () => {
    const watching = MANY.map(
      (n) => `#== t${n}.yaml (with the required fields)
preconditions: [{ requires_prior_tool: p, with_output: [{ path: $..x..y, exists: false }] }]`,
    );
    const guard = await guardOf(`\n#== p.yaml (with the required fields)\n${watching.join("\n")}\n`);
    const callId = await allowed(guard, "p", {});
    const before = workDone();
    await guard.settle(callId, { kind: "result", output: large });
    expect(workDone() - before).toBeLessThanOrEqual(3 * MOST_WORK);
    expect(told(await guard.propose({ tool: "t59", args: {} }))).toBe("prior_output_mismatch");
  });

  it("share a budget: allowed errors with patterns", { timeout: HANG_MS }, async () => {
    const entries = MANY.map((n) => `{ message_regex: "a.{0,200}c${n}$", outcome: not_executed }`);
    const guard = await guardOf(`
#== t.yaml (with the required fields)
side_effect: write
allowed_errors: [${entries.join(", ")}]
`);
    const callId = await allowed(guard, "t", {});
    const before = workDone();
    await guard.settle(callId, { kind: "error", message: letters(200_000, "ab") });
    expect(workDone() - before).toBeLessThanOrEqual(2 * MOST_WORK);
    expect(guard.state().unsettled).toMatchObject([{ status: "indeterminate" }]);
  });

  it("share a budget: which tools are visible", { timeout: HANG_MS }, async () => {
    const denying = MANY.map(
      (n) => `#== t${n}.yaml (with the required fields)
policy: { deny: [{ principal: { path: $..x..y, equals: ${n} } }] }`,
    );
    const guard = await guardOf(`\n${denying.join("\n")}\n`, { principal: large });
    const before = workDone();
    expect(guard.visibleTools().visible).toEqual([]);
    expect(workDone() - before).toBeLessThanOrEqual(2 * MOST_WORK);
  });

  it("share a budget: what an approver is shown", { timeout: HANG_MS }, async () => {
    const shown = MANY.map((n) => `{ path: $.a, label: l${n} }`);
    const guard = await guardOf(
      `
#== t.yaml (with the required fields)
checkpoint: { when: [{ path: $.n, gte: 1 }], timeout_seconds: 60, context: [{ path: $.n, label: n }, ${shown.join(", ")}] }
`,
      { approver: "manual" },
    );
    const verdict = await guard.propose({ tool: "t", args: { ...large, n: 5 } });
    if (verdict.kind !== "approval_required") throw new Error(verdict.kind);
    expect(verdict.context[0]).toEqual({ label: "n", value: 5 });
    expect(verdict.context.at(-1)).toEqual({ label: "l59", value: "(too much work to show)" });
    expect(await guard.resume(verdict.approvalId)).toEqual(verdict);
  });

  it.each([
    ["a long key", { ["k".repeat(9_000_000)]: 1 }],
    ["a text that is escaped throughout", { text: "\u0001".repeat(9_000_000) }],
    ["a text of halves of pairs", { text: "\ud800".repeat(1_000_000) }],
  ])("include spelling %s, for keys of calls and loops", { timeout: HANG_MS }, async (_, args) => {
    const guard = await guardOf(tool(""));
    expect(told(await guard.propose({ tool: "t", args, callKey: "k" }))).toBe("unjudgeable_cost");
    const session = "session_limits: { loop_detection: { window: 3, threshold: 2 } }";
    const looping = await guardOf(`#== session.yaml (with the required fields)\n${session}\n${tool("")}`);
    await looping.propose({ tool: "t", args });
    expect(told(await looping.propose({ tool: "t", args }))).toBe("unjudgeable_cost");
  });

  it("include the digest of a call with a key", { timeout: HANG_MS }, async () => {
    const guard = await guardOf(tool(""));
    const args = { list: Array.from({ length: 900_000 }, (_, n) => n) };
    expect(told(await guard.propose({ tool: "t", args }))).toBe("allow");
    expect(told(await guard.propose({ tool: "t", args, callKey: "k" }))).toBe("unjudgeable_cost");
    expect(told(await guard.propose({ tool: "t", args: { n: 1 }, callKey: "k" }))).toBe("allow");
  });

  const binding = `
#== p.yaml (with the required fields)
side_effect: write
binds: [{ name: s, path: $.v }]
#== t.yaml (with the required fields)
preconditions: [{ requires_prior_tool: q, resource: { bind_from: arguments, path: $.v } }]
#== q.yaml (with the required fields)
side_effect: write
`;

  it("include values that open calls bind, and entities", { timeout: HANG_MS }, async () => {
    const guard = await guardOf(binding);
    const v = Array.from({ length: 900_000 }, (_, n) => n);
    const before = workDone();
    await guard.settle(await allowed(guard, "p", { v }), { kind: "result", output: 1 });
    await guard.settle(await allowed(guard, "q", { v }), { kind: "result", output: 1 });
    expect(workDone() - before).toBeLessThanOrEqual(4 * MOST_WORK);
    expect(told(await guard.propose({ tool: "t", args: { v } }))).toBe("unjudgeable_cost");
    await guard.settle(await allowed(guard, "q", { v: [1] }), { kind: "result", output: 1 });
    expect(told(await guard.propose({ tool: "t", args: { v: [1] } }))).toBe("allow");
  });
});

describe("artifacts with patterns that the compiler does not let pass", () => {
  /** An artifact that says of itself what it likes: its hash fits, but no compiler wrote it. */
  function forged(engine: "native" | "counted", source: string): Artifact {
    const artifact = structuredClone(artifactOf(tool('{ path: $.text, regex: "a.*b.*c" }')));
    const pack = JSON.parse(
      JSON.stringify(artifact).replace(/\{"engine":"[a-z]+","source":"[^"]*"\}/g, () =>
        JSON.stringify({ engine, source }),
      ),
    );
    return { ...pack, hash: artifactHash(pack) };
  }

  it.each([
    ["native", "(a+)+$"],
    ["native", "(?:){1000000000}"],
    ["native", "(?=a)b"],
    ["counted", "(?:){1000000000}"],
    ["counted", "(?:(?:){100000}){100000}"],
    ["counted", "a{1000000}"],
    ["counted", "(a)\\1"],
    ["counted", "(?i:a)"],
    ["counted", "b|(?-i:a)"],
    ["native", "^(?s:.)"],
    ["counted", "("],
    ["native", `${"(".repeat(5000)}a${")".repeat(5000)}`],
  ] as const)("are refused by name: %s %s", { timeout: HANG_MS }, async (engine, source) => {
    const making = createGuard(forged(engine, source), { env: {} });
    await expect(making).rejects.toThrow(TypeError);
    await expect(making).rejects.toThrow(JSON.stringify(source).slice(0, 100));
  });

  it("but literals that only look like patterns are not", async () => {
    const guard = await guardOf(tool('{ path: $.a, equals: { engine: native, source: "(" } }'));
    expect(told(await guard.propose({ tool: "t", args: { a: { engine: "native", source: "(" } } }))).toBe("allow");
  });
});
