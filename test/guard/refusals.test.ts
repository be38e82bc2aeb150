import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { REASON_ADVICE } from "../../src/artifact/reason-advice.js";
import { REASONS } from "../../src/artifact/reasons.js";
import { RULES } from "../../src/compiler/rules/index.js";
import { createGuard } from "../../src/guard/guard.js";
import type { Guard } from "../../src/guard/guard-api.js";
import type { BlockVerdict, GuardOptions } from "../../src/guard/public.js";
import { memoryStore } from "../../src/stores/memory.js";
import { artifactOf } from "../support/guard-artifact.js";
import { rejectionOf, violationOf } from "../support/guard-calls.js";

const SECRET = "do not tell 4711";

function guardOf(pack: string, options: GuardOptions = {}): Promise<Guard> {
  return createGuard(artifactOf(pack), { env: {}, ...options });
}

async function refusal(guard: Guard, tool: string, args: unknown = {}): Promise<BlockVerdict> {
  const verdict = await guard.propose({ tool, args });
  if (verdict.kind !== "block") throw new Error(`not refused: ${verdict.kind}`);
  return verdict;
}

async function made(guard: Guard, tool: string, args: unknown, output?: unknown): Promise<void> {
  const verdict = await guard.propose({ tool, args });
  if (verdict.kind !== "allow") throw new Error(`not allowed: ${verdict.kind}`);
  const outcome = output === undefined ? { kind: "happened" as const } : { kind: "result" as const, output };
  await guard.settle(verdict.callId, outcome);
}

const WITH_OUTPUT = `
#== check.yaml (with the required fields)
side_effect: write
#== act.yaml (with the required fields)
preconditions:
  - requires_prior_tool: check
    with_output: [{ path: $.open, equals: true }, { path: $.score, gte: 5 }, { path: $.note, length_lte: 3 }]
`;

describe("a refusal by the output of an earlier call", () => {
  it.each([
    [{ open: false, score: 9, note: "" }, "$.open equal to true", "$.open false"],
    [{ open: true, score: 4, note: "" }, "$.score at least 5", "$.score 4"],
    [{ open: true, note: "" }, "$.score at least 5", "$.score nothing"],
    [{ open: true, score: 9, note: SECRET }, "$.note of length 3 or less", "$.note length 16"],
    [undefined, "$.open equal to true", "no output"],
  ])("says which condition %j failed, and what was found", async (output, wanted, found) => {
    const guard = await guardOf(WITH_OUTPUT);
    await made(guard, "check", {}, output);
    const verdict = await refusal(guard, "act");
    expect(verdict).toMatchObject({
      reason: "prior_output_mismatch",
      required: `a committed call of \`check\` from an earlier step and an output with ${wanted}`,
      found: `\`check\` answered with ${found}`,
    });
    expect(JSON.stringify(verdict)).not.toContain(SECRET);
  });

  it("does not ask for the call that was made already", async () => {
    const guard = await guardOf(WITH_OUTPUT);
    expect((await refusal(guard, "act")).hint).toBe("needed first: a committed call of `check` from an earlier step");
    await made(guard, "check", {}, { open: false });
    expect((await refusal(guard, "act")).hint).toBe(
      "this call stays refused as long as `check` answered with $.open false; asking again for the same answer does not help",
    );
  });

  it("reports the latest output, the same after a restart and for calls that commit at dispatch", async () => {
    const store = memoryStore();
    const guard = await guardOf(WITH_OUTPUT, { store, sessionId: "s" });
    await made(guard, "check", {}, { open: false });
    await made(guard, "check", {}, { open: true, score: 1 });
    const again = await guardOf(WITH_OUTPUT, { store, sessionId: "s" });
    expect((await refusal(again, "act")).found).toBe("`check` answered with $.score 1");
    const early = await guardOf(
      WITH_OUTPUT.replace("side_effect: write", "side_effect: write\ncommit_requirement: none"),
    );
    await made(early, "check", {}, { open: true, score: 2 });
    expect((await refusal(early, "act")).found).toBe("`check` answered with $.score 2");
  });

  it("keeps no more than a few words of an output", async () => {
    const guard = await guardOf(WITH_OUTPUT);
    await made(guard, "check", {}, { open: "x".repeat(1_000_000) });
    expect((await refusal(guard, "act")).found?.length).toBeLessThan(300);
  });
});

describe("a refusal by an aggregate", () => {
  const PACK = `
#== session.yaml (with the required fields)
aggregates: [{ name: total, metric: sum, tool: pay, path: $.amount, lte: 100, reason: At most 100 a session }]
#== pay.yaml (with the required fields)
`;

  it("has the aggregate's reason as its hint", async () => {
    const guard = await guardOf(PACK);
    expect(await refusal(guard, "pay", { amount: 101 })).toMatchObject({
      reason: "aggregate_exceeded",
      hint: "At most 100 a session",
    });
    expect(await refusal(guard, "pay", {})).toMatchObject({
      reason: "aggregate_unjudgeable",
      hint: "At most 100 a session",
      found: "no usable value at $.amount",
    });
  });
});

describe("a refusal by a person", () => {
  const PACK = `
#== pay.yaml (with the required fields)
checkpoint: { when: always, timeout_seconds: 60, on_timeout: deny }
`;
  const rule = { file: "pay.yaml", line: 1 };

  it("carries the checkpoint that asked, also when it is asked for again", async () => {
    const guard = await guardOf(PACK, { approver: "manual" });
    const asked = await guard.propose({ tool: "pay", args: {} });
    if (asked.kind !== "approval_required") throw new Error("not asked");
    expect(await guard.deny(asked.approvalId, { by: "ann" })).toMatchObject({ reason: "approval_denied", rule });
    expect(await guard.resume(asked.approvalId)).toMatchObject({ reason: "approval_denied", rule });
  });

  it("carries it where the answer came too late, and without an approver", async () => {
    let now = 0;
    const guard = await guardOf(PACK, { approver: "manual", clock: { now: () => now } });
    const asked = await guard.propose({ tool: "pay", args: {} });
    if (asked.kind !== "approval_required") throw new Error("not asked");
    now = 60_000;
    expect(await guard.approve(asked.approvalId, { by: "ann" })).toMatchObject({ reason: "approval_expired", rule });
    expect(await refusal(await guardOf(PACK), "pay")).toMatchObject({ reason: "approval_denied", rule });
  });
});

describe("a refusal by a length", () => {
  const PACK = `
#== look.yaml (with the required fields)
assertions: { input_invariants: [{ path: $.text, length_lte: 3 }], output_invariants: [{ path: $.note, length_lte: 3 }] }
#== list.yaml (with the required fields)
execution_constraints: { arguments: [{ path: "$.names[*]", length_lte: 3 }] }
#== both.yaml (with the required fields)
execution_constraints: { arguments: [{ path: $.text, length_gte: 3, regex: "^a" }] }
#== define.yaml (with the required fields)
#== tools.json
[{ "name": "define", "input_schema": { "type": "object", "properties": {
  "text": { "type": "string", "maxLength": 3 }, "any": { "anyOf": [{ "type": "string", "maxLength": 3 }] } } } }]
`;

  it.each([
    ["look", { text: SECRET }, "length 16"],
    ["look", { text: "\u{1F600}".repeat(4) }, "length 4"],
    ["look", { text: 12345 }, "a value of type number"],
    ["look", {}, "nothing"],
    ["list", { names: ["ab", SECRET] }, "length 16"],
    ["both", { text: "a" }, "length 1"],
    ["both", { text: "bcd" }, '"bcd"'],
    ["define", { text: SECRET }, "length 16"],
    ["define", { any: SECRET }, "length 16"],
  ])("of %s %j tells the length", async (tool, args, found) => {
    const verdict = await refusal(await guardOf(PACK), tool, args);
    expect(verdict.found).toBe(found);
    expect(JSON.stringify(verdict)).not.toContain(SECRET);
  });

  it("reports the length of an output too", async () => {
    const guard = await guardOf(PACK);
    const verdict = await guard.propose({ tool: "look", args: { text: "a" } });
    if (verdict.kind !== "allow") throw new Error("not allowed");
    const { violation } = await guard.settle(verdict.callId, { kind: "result", output: { note: SECRET } });
    expect(violation).toMatchObject({ reason: "output_invariant_failed", found: "length 16" });
  });
});

describe("a rule on an environment variable that is unset", () => {
  const PACK = `
#== look.yaml (with the required fields)
assertions: { input_invariants: [{ path: $.t, equals_env: GUARD_TEST_TENANT }], output_invariants: [] }
#== act.yaml (with the required fields)
policy: { allow: [{ principal: { path: $.region, equals_env: GUARD_TEST_REGION } }] }
`;
  const principal = { region: "EU" };

  it("keeps the guard from starting, by name", async () => {
    const started = guardOf(PACK, { principal, env: { GUARD_TEST_REGION: "EU" } });
    await expect(started).rejects.toThrow(
      new TypeError(
        'rules of the pack compare with environment variables that are not set: GUARD_TEST_TENANT; set them, or pass `env: "lenient"` to have these rules block',
      ),
    );
    await expect(createGuard(artifactOf(PACK), { principal })).rejects.toThrow("GUARD_TEST_REGION, GUARD_TEST_TENANT");
  });

  it("does not keep it from starting where the variable is empty", async () => {
    const env = { GUARD_TEST_REGION: "EU", GUARD_TEST_TENANT: "" };
    const guard = await guardOf(PACK, { principal, env });
    expect((await guard.propose({ tool: "look", args: { t: "" } })).kind).toBe("allow");
  });

  it("blocks under a lenient guard, and is named as unset", async () => {
    const guard = await guardOf(PACK, { principal, env: "lenient" });
    const hint = "the operator has to set the variable; other arguments do not help";
    expect(await refusal(guard, "look", { t: "acme" })).toMatchObject({
      reason: "input_invariant_failed",
      found: "environment variable GUARD_TEST_TENANT is unset",
      hint,
    });
    expect(await refusal(guard, "act")).toMatchObject({
      reason: "policy_denied",
      found: "environment variable GUARD_TEST_REGION is unset",
      hint,
    });
  });

  it.each(["strict", 5, null])("is not asked about where `env` is %j", async (env) => {
    const options: unknown = { principal, env };
    await expect(createGuard(artifactOf(PACK), options as GuardOptions)).rejects.toThrow("`env` must be an object");
  });
});

const LOOKED_AT = `
#== session.yaml (with the required fields)
schema_version: "1.1"
session_limits: { loop_detection: { window: 5, threshold: 2 } }
aggregates: [{ name: looks, metric: count, tool: [look, peek], per: $.id, lte: 3, reason: Nobody is looked at often }]
#== look.yaml (with the required fields)
binds: [{ name: user, source: output, path: $.user, key: { source: arguments, path: $.id } }]
#== find.yaml (with the required fields)
requires: [{ that: 'args.id != "b"', reason: b is not found }]
binds: [{ name: found, source: output, path: $.user, key: { source: arguments, path: $.id } }]
#== peek.yaml (with the required fields)
#== read.yaml (with the required fields)
#== use.yaml (with the required fields)
requires: [{ that: "slots.user[args.id] == 1", reason: Looked at first }]
#== use_found.yaml (with the required fields)
requires: [{ that: "slots.found[args.id] == 1", reason: Found first }]
#== use_read.yaml (with the required fields)
preconditions: [{ requires_prior_tool: read, resource: { path: $.id, bind_from: arguments } }]
`;

describe("a hint", () => {
  it("lists no tool as callable once the calls are used up", async () => {
    const guard = await guardOf(`
#== session.yaml (with the required fields)
session_limits: { max_tool_calls: 1 }
#== look.yaml (with the required fields)
`);
    await made(guard, "look", {});
    expect(await refusal(guard, "look")).toMatchObject({
      reason: "session_limit_exceeded",
      hint: "no tool is callable now",
    });
    expect(guard.visibleTools().visible).toEqual(["look"]);
  });

  it("says which calls set what is not set yet", async () => {
    const guard = await guardOf(`
#== session.yaml (with the required fields)
envelopes:
  - name: within
    constraint: lte_ceiling
    reason: Not above the ceiling
    stages: [{ tool: quote, path: $.n, role: ceiling }, { tool: pay, path: $.n, role: constrained }]
#== quote.yaml (with the required fields)
binds: [{ name: account, path: $.account }]
#== open.yaml (with the required fields)
binds: [{ name: account, path: $.account }]
#== move.yaml (with the required fields)
argument_value_invariants: [{ path: $.account, ref: account }]
#== pay.yaml (with the required fields)
`);
    const unset = "needed first: a committed call of `open` or `quote` (`account` is not set yet)";
    expect((await refusal(guard, "move", { account: "a" })).hint).toBe(unset);
    const noCeiling =
      "needed first: a committed call of `quote` (no ceiling is set yet); because: Not above the ceiling";
    expect((await refusal(guard, "pay", { n: 1 })).hint).toBe(noCeiling);
  });

  /** A call that is made and never answered: a \`read\` is released, and stays in the loop window. */
  async function unanswered(guard: Guard, tool: string, args: unknown): Promise<void> {
    const verdict = await guard.propose({ tool, args });
    if (verdict.kind !== "allow") throw new Error(`not allowed: ${verdict.kind}`);
    await guard.settle(verdict.callId, { kind: "timeout" });
  }

  it.each([
    ["in memory", () => ({})],
    ["in a store", () => ({ store: memoryStore(), sessionId: "s" })],
  ])("does not ask for a call with these arguments that is refused now, %s", async (_, options) => {
    const guard = await guardOf(LOOKED_AT, options());
    const hintOf = async (tool: string, args: unknown) => (await refusal(guard, tool, args)).hint;
    expect(await hintOf("use", { id: "a" })).toBe("needed first: look with id a; because: Looked at first");
    const read = "needed first: a committed call of `read` for the same $.id from an earlier step";
    expect(await hintOf("use_read", { id: "a" })).toBe(read);
    await unanswered(guard, "look", { id: "a" });
    await unanswered(guard, "read", { id: "a" });
    expect((await refusal(guard, "look", { id: "a" })).reason).toBe("loop_detected");
    expect(await hintOf("use", { id: "a" })).toBe(
      "needed first: look with id a; refused now: look with id a (loop_detected); because: Looked at first",
    );
    expect(await hintOf("use", { id: "c" })).toBe("needed first: look with id c; because: Looked at first");
    expect((await refusal(guard, "read", { id: "a" })).reason).toBe("loop_detected");
    expect(await hintOf("use_read", { id: "a" })).toBe(
      `${read}; refused now: \`read\` for the same $.id (loop_detected)`,
    );
    expect(await hintOf("use_read", { id: "c" })).toBe(read);
    expect((await refusal(guard, "find", { id: "b" })).reason).toBe("requirement_failed");
    expect(await hintOf("use_found", { id: "b" })).toBe(
      "needed first: find with id b; refused now: find with id b (requirement_failed); because: Found first",
    );
  });

  it("does not ask for a call whose value is used up", async () => {
    const guard = await guardOf(LOOKED_AT.replace(/session_limits.*/, ""));
    for (const more of [1, 2, 3]) await made(guard, "peek", { id: "c", more });
    expect((await refusal(guard, "look", { id: "c" })).reason).toBe("aggregate_exceeded");
    expect((await refusal(guard, "use", { id: "c" })).hint).toContain(
      "refused now: look with id c (aggregate_exceeded)",
    );
  });

  it("does not ask for a call without saying that it is refused too", async () => {
    const guard = await guardOf(`
#== check.yaml (with the required fields)
gate: block
#== act.yaml (with the required fields)
preconditions: [{ requires_prior_tool: check }]
`);
    expect((await refusal(guard, "act")).hint).toBe(
      "needed first: a committed call of `check` from an earlier step; refused now: `check` (gate_blocked)",
    );
  });

  it("does not ask for a call that was made and does not count yet", async () => {
    const guard = await guardOf(`
#== session.yaml (with the required fields)
envelopes:
  - name: within
    constraint: lte_ceiling
    reason: Not above the ceiling
    stages: [{ tool: check, source: output, path: $.n, role: ceiling }, { tool: pay, path: $.n, role: constrained }]
#== check.yaml (with the required fields)
side_effect: write
binds: [{ name: ticket, source: output, path: $.ticket }]
#== act.yaml (with the required fields)
preconditions: [{ requires_prior_tool: check }]
#== judge.yaml (with the required fields)
preconditions: [{ requires_prior_tool: check, with_output: [{ path: $.open, equals: true }] }]
#== use.yaml (with the required fields)
argument_value_invariants: [{ path: $.ticket, ref: ticket }]
#== pay.yaml (with the required fields)
`);
    const tried = [
      ["act", {}],
      ["judge", {}],
      ["use", { ticket: "t" }],
      ["pay", { n: 1 }],
    ] as const;
    const hints = () => Promise.all(tried.map(async ([tool, args]) => (await refusal(guard, tool, args)).hint));
    await guard.beginStep();
    const verdict = await guard.propose({ tool: "check", args: {} });
    if (verdict.kind !== "allow") throw new Error("not allowed");
    const wait = "wait until the unsettled calls have ended, then try again";
    expect(await hints()).toEqual([wait, wait, wait, `${wait}; because: Not above the ceiling`]);
    await guard.settle(verdict.callId, { kind: "result", output: { open: false } });
    expect(await hints()).toEqual([
      "the call that was made counts from the next step on; try again then",
      "this call stays refused as long as `check` answered with $.open false; asking again for the same answer does not help",
      "needed first: a committed call of `check` (the latest output did not set `ticket`)",
      "needed first: a committed call of `check` (the latest output set no ceiling); because: Not above the ceiling",
    ]);
    await guard.beginStep();
    expect((await guard.propose({ tool: "act", args: {} })).kind).toBe("allow");
  });

  it("does not say to wait for a call that has ended with an unknown outcome", async () => {
    const guard = await guardOf(`
#== open.yaml (with the required fields)
side_effect: write
binds: [{ name: id, source: output, path: $.id }]
#== use.yaml (with the required fields)
argument_value_invariants: [{ path: $.id, ref: id }]
`);
    const hint = async () => (await refusal(guard, "use", { id: "a" })).hint;
    const [lost, running] = [
      await guard.propose({ tool: "open", args: {} }),
      await guard.propose({ tool: "open", args: {} }),
    ];
    if (lost.kind !== "allow" || running.kind !== "allow") throw new Error("not allowed");
    await guard.settle(lost.callId, { kind: "timeout" });
    expect(await hint()).toBe("wait until the unsettled calls have ended, then try again");
    await guard.settle(running.callId, { kind: "did_not_happen" });
    expect(await hint()).toBe("the operator has to settle the calls whose outcome is unknown; try again then");
    await guard.settle(lost.callId, { kind: "happened", output: { id: "a" } });
    expect((await guard.propose({ tool: "use", args: { id: "a" } })).kind).toBe("allow");
  });

  it("reports no phase that the session is not in", async () => {
    const guard = await guardOf(`
#== session.yaml (with the required fields)
phases: [{ name: draft, initial: true }, { name: sent, terminal: true }]
transitions: { draft: [sent] }
#== send.yaml (with the required fields)
side_effect: write
transitions: { valid_in_phases: [draft], advances_to: sent }
#== edit.yaml (with the required fields)
transitions: { valid_in_phases: [draft] }
#== back.yaml (with the required fields)
transitions: { valid_in_phases: [draft, sent], advances_to: draft }
`);
    const verdict = await guard.propose({ tool: "send", args: {} });
    const hint = "wait until the unsettled calls have ended, then try again";
    expect(await refusal(guard, "edit")).toMatchObject({
      reason: "phase_not_allowed",
      found: "a call that has not settled and leads to sent",
      hint,
    });
    expect(await refusal(guard, "back")).toMatchObject({ reason: "transition_not_allowed", hint });
    if (verdict.kind !== "allow") throw new Error("not allowed");
    await guard.settle(verdict.callId, { kind: "result", output: {} });
    expect(await refusal(guard, "edit")).toMatchObject({ found: "phase sent", hint: "no tool is callable now" });
  });

  it("asks for the argument that names the entity, and not for a call, where it is missing", async () => {
    const guard = await guardOf(`
#== check.yaml (with the required fields)
#== act.yaml (with the required fields)
preconditions: [{ requires_prior_tool: check, resource: { bind_from: arguments, path: $.id } }]
`);
    await made(guard, "check", { id: 1 });
    expect(await refusal(guard, "act", {})).toMatchObject({
      reason: "prior_tool_missing",
      found: "nothing",
      hint: "change the arguments: a value at $.id, and a committed call of `check` for the same $.id from an earlier step",
    });
    expect((await refusal(guard, "act", { id: 2 })).hint).toMatch(/^needed first: a committed call of `check` for/);
  });

  it("shows the value that differs from what was bound, not one that equals it", async () => {
    const guard = await guardOf(`
#== check.yaml (with the required fields)
binds: [{ name: id, path: $.id }]
#== act.yaml (with the required fields)
argument_value_invariants: [{ path: "$.ids[*]", ref: id }]
`);
    await made(guard, "check", { id: "a" });
    expect((await refusal(guard, "act", { ids: ["a", "b"] })).found).toBe('"b"');
    expect((await refusal(guard, "act", { ids: [] })).found).toBe("nothing");
  });

  it("does not ask for the bound value that was given where an unsettled call binds another", async () => {
    const guard = await guardOf(`
#== open.yaml (with the required fields)
side_effect: write
binds: [{ name: id, path: $.id }]
#== act.yaml (with the required fields)
argument_value_invariants: [{ path: $.id, ref: id }]
`);
    await made(guard, "open", { id: "a" });
    const open = await guard.propose({ tool: "open", args: { id: "b" } });
    expect(await refusal(guard, "act", { id: "a" })).toMatchObject({
      reason: "ref_mismatch",
      found: "a call that has not settled and binds another `id`",
      hint: "wait until the unsettled calls have ended, then try again",
    });
    expect((await refusal(guard, "act", { id: "c" })).hint).toMatch(/^change the arguments/);
    expect((await refusal(guard, "act", {})).hint).toMatch(/^change the arguments/);
    if (open.kind !== "allow") throw new Error("not allowed");
    await guard.settle(open.callId, { kind: "did_not_happen" });
    expect((await guard.propose({ tool: "act", args: { id: "a" } })).kind).toBe("allow");
  });

  it("asks for other arguments only against a present reference that is a number", async () => {
    const guard = await guardOf(`
#== session.yaml (with the required fields)
envelopes:
  - name: within
    constraint: lte_ceiling
    reason: Not above the ceiling
    stages: [{ tool: quote, source: output, path: $.n, role: ceiling }, { tool: set, path: $.n, role: ceiling }, { tool: pay, path: $.n, role: constrained }]
#== quote.yaml (with the required fields)
#== set.yaml (with the required fields)
side_effect: write
#== pay.yaml (with the required fields)
`);
    await made(guard, "quote", {}, { n: 200 });
    await guard.propose({ tool: "set", args: { n: 100 } });
    expect(await refusal(guard, "pay", { n: 150 })).toMatchObject({
      reason: "envelope_violated",
      found: "150 against ceiling 100, of a call that has not settled",
      hint: "wait until the unsettled calls have ended, then try again; because: Not above the ceiling",
    });
    expect(await refusal(guard, "pay", { n: 250 })).toMatchObject({
      found: "250 against ceiling 200",
      hint: "change the arguments: Not above the ceiling",
    });
    expect((await refusal(guard, "pay", { n: "1" })).hint).toBe("change the arguments: Not above the ceiling");
    await made(guard, "quote", {}, { n: "much" });
    expect(await refusal(guard, "pay", { n: 1 })).toMatchObject({
      reason: "envelope_violated",
      hint: 'needed first: a committed call of `quote` or `set` (1 against ceiling "much"); because: Not above the ceiling',
    });
  });

  it("lists no tool as callable of which every call is refused", async () => {
    const guard = await guardOf(`
#== session.yaml (with the required fields)
envelopes:
  - name: within
    constraint: lte_ceiling
    reason: Not above the ceiling
    stages: [{ tool: check, path: $.n, role: ceiling }, { tool: pay, path: $.n, role: constrained }]
#== check.yaml (with the required fields)
binds: [{ name: id, path: $.id }]
#== act.yaml (with the required fields)
argument_value_invariants: [{ path: $.id, ref: id }]
#== again.yaml (with the required fields)
preconditions: [{ requires_prior_tool: check, resource: { bind_from: arguments, path: $.id } }]
#== pay.yaml (with the required fields)
#== own.yaml (with the required fields)
binds: [{ name: own, path: $.id }]
argument_value_invariants: [{ path: $.id, ref: own }]
`);
    expect((await refusal(guard, "nothing")).hint).toBe("callable now: check");
    expect((await refusal(guard, "own", { id: 1 })).hint).toBe(
      "needed first: a committed call of `own` (`own` is not set yet); refused now: `own` (ref_unset)",
    );
    await made(guard, "check", { id: 1, n: 1 });
    expect((await refusal(guard, "nothing")).hint).toBe("callable now: act, again, check, pay");
  });

  /** A tool that is always refused, so that its hint lists what is callable. */
  const CLOSED = "#== closed.yaml (with the required fields)\ngate: block\n";

  it("lists no tool as callable while every value waits for an unsettled call", async () => {
    const guard = await guardOf(`${CLOSED}
#== session.yaml (with the required fields)
envelopes:
  - name: within
    constraint: lte_ceiling
    reason: Not above the ceiling
    stages: [{ tool: open, source: output, path: $.most, role: ceiling }, { tool: pay, path: $.n, role: constrained }]
  - name: around
    constraint: within_band
    band: 0.1
    reason: Near the anchor
    stages: [{ tool: move, path: $.n, role: anchor }, { tool: near, path: $.n, role: constrained }]
#== open.yaml (with the required fields)
side_effect: write
binds: [{ name: ticket, source: output, path: $.ticket }]
#== move.yaml (with the required fields)
side_effect: write
binds: [{ name: place, path: $.n }]
#== use.yaml (with the required fields)
argument_value_invariants: [{ path: $.ticket, ref: ticket }]
#== stay.yaml (with the required fields)
argument_value_invariants: [{ path: $.n, ref: place, tolerance: 0.1 }]
#== pay.yaml (with the required fields)
#== near.yaml (with the required fields)
`);
    await made(guard, "open", {}, { ticket: "a", most: 5 });
    await made(guard, "move", { n: 100 });
    expect((await refusal(guard, "closed")).hint).toBe("callable now: move, near, open, pay, stay, use");
    await guard.propose({ tool: "move", args: { n: 110 } });
    expect((await refusal(guard, "closed")).hint).toBe("callable now: move, near, open, pay, stay, use");
    expect((await guard.propose({ tool: "stay", args: { n: 105 } })).kind).toBe("allow");
    await guard.propose({ tool: "open", args: {} });
    await guard.propose({ tool: "move", args: { n: 150 } });
    expect((await refusal(guard, "closed")).hint).toBe("callable now: move, open");
  });

  it("lists no tool as callable that a value of an earlier call closes", async () => {
    const guard = await guardOf(`${CLOSED}
#== session.yaml (with the required fields)
aggregates:
  - { name: largest, metric: max, tool: pay, path: $.n, lte: 100, reason: Not above, when: [{ binding: risk, gte: 5, then_lte: 10 }] }
  - { name: total, metric: sum, tool: sum, path: $.n, lte: 100, reason: Not above, when: [{ binding: risk, gte: 5, then_lte: 10 }] }
envelopes:
  - name: bounds
    constraint: bounded
    reason: Within the bounds
    stages: [{ tool: rate, source: output, path: $.low, role: floor }, { tool: rate, source: output, path: $.high, role: ceiling }, { tool: bid, path: $.n, role: constrained }]
#== rate.yaml (with the required fields)
binds: [{ name: risk, source: output, path: $.risk }]
#== pay.yaml (with the required fields)
#== sum.yaml (with the required fields)
#== bid.yaml (with the required fields)
`);
    const callable = async (output: unknown) => {
      await made(guard, "rate", {}, output);
      return (await refusal(guard, "closed")).hint;
    };
    await made(guard, "pay", { n: 50 });
    await made(guard, "sum", { n: 50 });
    expect(await callable({ risk: 1, low: 1, high: 2 })).toBe("callable now: bid, pay, rate, sum");
    expect(await callable({ risk: 5, low: 1, high: 2 })).toBe("callable now: bid, rate, sum");
    expect(await callable({ risk: 1, low: 3, high: 2 })).toBe("callable now: pay, rate, sum");
    expect(await callable({ risk: "much", low: 1, high: "2" })).toBe("callable now: rate");
  });

  it("lists no tool as callable whose earlier calls all had the wrong output", async () => {
    const guard = await guardOf(`${CLOSED}
#== check.yaml (with the required fields)
#== act.yaml (with the required fields)
preconditions:
  - requires_prior_tool: check
    resource: { bind_from: arguments, path: $.id }
    with_output: [{ path: $.open, equals: true }]
`);
    await made(guard, "check", { id: 1 }, { open: false });
    expect((await refusal(guard, "closed")).hint).toBe("callable now: check");
    await made(guard, "check", { id: 2 }, { open: true });
    expect((await refusal(guard, "closed")).hint).toBe("callable now: act, check");
  });

  it("lists no tool as callable that compares with an unset variable", async () => {
    const pack = `${CLOSED}
#== look.yaml (with the required fields)
assertions: { input_invariants: [{ path: $.t, equals_env: GUARD_TEST_TENANT }], output_invariants: [] }
`;
    expect((await refusal(await guardOf(pack, { env: "lenient" }), "closed")).hint).toBe("no tool is callable now");
    const set = await guardOf(pack, { env: { GUARD_TEST_TENANT: "acme" } });
    expect((await refusal(set, "closed")).hint).toBe("callable now: look");
  });

  it("lists no tool as callable where loop detection refuses the first call", async () => {
    const pack = (threshold: number) => `
#== session.yaml (with the required fields)
session_limits: { loop_detection: { window: 5, threshold: ${threshold} } }
#== look.yaml (with the required fields)
`;
    expect(await refusal(await guardOf(pack(1)), "look")).toMatchObject({
      reason: "loop_detected",
      hint: "no tool is callable now",
    });
    const guard = await guardOf(pack(2));
    await made(guard, "look", {});
    expect((await refusal(guard, "look")).hint).toBe("callable now: look");
  });

  it("lists no tool as callable that nobody can approve", async () => {
    const pack = `${CLOSED}
#== look.yaml (with the required fields)
#== pay.yaml (with the required fields)
checkpoint: { when: always, timeout_seconds: 60 }
#== some.yaml (with the required fields)
checkpoint: { when: [{ path: $.n, gte: 5 }], timeout_seconds: 60 }
`;
    expect((await refusal(await guardOf(pack), "closed")).hint).toBe("callable now: look, some");
    const asking = await guardOf(pack, { approver: "manual" });
    expect((await refusal(asking, "closed")).hint).toBe("callable now: look, pay, some");
  });

  it("lists what is callable once the approval has ended that the session waited for", async () => {
    const guard = await guardOf(
      `
#== session.yaml (with the required fields)
policy: { label_gates: [{ when_label: hot, deny_tools: [pay], reason: Not while hot }] }
#== look.yaml (with the required fields)
#== pay.yaml (with the required fields)
checkpoint: { when: always, timeout_seconds: 60 }
`,
      { approver: "manual" },
    );
    const asked = await guard.propose({ tool: "pay", args: {} });
    if (asked.kind !== "approval_required") throw new Error("not asked");
    await guard.addLabel("hot");
    expect(await guard.approve(asked.approvalId, { by: "ann" })).toMatchObject({
      reason: "label_gated",
      hint: "callable now: look; because: Not while hot",
    });
    expect((await guard.propose({ tool: "look", args: {} })).kind).toBe("allow");
  });

  it("says that the session is over where the refusal ends it", async () => {
    const guard = await guardOf(`
#== session.yaml (with the required fields)
session_limits: { circuit_breaker: { consecutive_blocks: 2 } }
#== look.yaml (with the required fields)
assertions: { input_invariants: [{ path: $.n, gte: 1 }], output_invariants: [] }
`);
    expect((await refusal(guard, "look")).hint).toBe("change the arguments: $.n at least 1");
    expect(await refusal(guard, "look")).toMatchObject({
      reason: "input_invariant_failed",
      hint: "the session is over; no further call will be allowed",
    });
    expect((await refusal(guard, "look", { n: 1 })).reason).toBe("session_killed");
  });

  it("says that the session is over whatever is asked of it", async () => {
    const pack = "#== pay.yaml (with the required fields)\ncheckpoint: { when: always, timeout_seconds: 60 }";
    const guard = await guardOf(pack, { approver: "manual" });
    const asked = await guard.propose({ tool: "pay", args: {} });
    if (asked.kind !== "approval_required") throw new Error("not asked");
    await guard.deny(asked.approvalId, { by: "ann" });
    await guard.kill("enough");
    expect(await guard.resume(asked.approvalId)).toMatchObject({
      reason: "approval_denied",
      hint: "the session is over; no further call will be allowed",
    });
  });

  it("names an unset variable only where it may open an allow entry", async () => {
    const pack = `
#== act.yaml (with the required fields)
policy: { allow: [{ principal: [{ path: $.type, equals: human }, { path: $.region, equals_env: GUARD_TEST_REGION }] }] }
`;
    const of = (type: string) => guardOf(pack, { principal: { type, region: "EU" }, env: "lenient" });
    expect((await refusal(await of("human"), "act")).hint).toMatch(/^the operator has to set the variable/);
    expect(await refusal(await of("bot"), "act")).toMatchObject({
      found: "another principal",
      hint: "no tool is callable now",
    });
  });

  it("does not say to wait where no end of the unsettled calls helps", async () => {
    const guard = await guardOf(`
#== session.yaml (with the required fields)
phases: [{ name: draft, initial: true }, { name: review }, { name: sent, terminal: true }]
transitions: { draft: [review], review: [sent] }
envelopes:
  - name: bounds
    constraint: bounded
    reason: Within the bounds
    stages: [{ tool: low, path: $.n, role: floor }, { tool: high, path: $.n, role: ceiling }, { tool: bid, path: $.n, role: constrained }]
#== ask.yaml (with the required fields)
side_effect: write
transitions: { valid_in_phases: [draft], advances_to: review }
#== send.yaml (with the required fields)
transitions: { valid_in_phases: [draft, sent], advances_to: sent }
#== low.yaml (with the required fields)
side_effect: write
#== high.yaml (with the required fields)
side_effect: write
#== bid.yaml (with the required fields)
`);
    await made(guard, "low", { n: 10 });
    await guard.propose({ tool: "low", args: { n: 30 } });
    expect((await refusal(guard, "bid", { n: 25 })).hint).toBe(
      "needed first: a committed call of `high` (no ceiling is set yet); because: Within the bounds",
    );
    await made(guard, "high", { n: 20 });
    expect(await refusal(guard, "bid", { n: 25 })).toMatchObject({
      found: "25 against ceiling 20",
      hint: "change the arguments: Within the bounds",
    });
    await guard.propose({ tool: "ask", args: {} });
    expect(await refusal(guard, "send")).toMatchObject({
      found: "a call that has not settled and leads to review",
      hint: "callable now: high, low",
    });
  });

  it("is about the answer, and not about other tools, where an approver or an operator has to act", async () => {
    const pack = "#== pay.yaml (with the required fields)\ncheckpoint: { when: always, timeout_seconds: 60 }";
    const asking = await guardOf(pack, { approver: "manual", requester: "ann" });
    const asked = await asking.propose({ tool: "pay", args: {} });
    if (asked.kind !== "approval_required") throw new Error("not asked");
    expect(await asking.approve(asked.approvalId, { by: "ann" })).toMatchObject({
      reason: "approver_is_requester",
      hint: "the approval is still pending; needed: another person than the one who asked",
    });
    const guard = await guardOf("#== look.yaml (with the required fields)");
    const call = await guard.propose({ tool: "look", args: {} });
    if (call.kind !== "allow") throw new Error("not allowed");
    await guard.settle(call.callId, { kind: "did_not_happen" });
    await guard.settle(call.callId, { kind: "result", output: {} });
    expect((await refusal(guard, "look")).hint).toMatch(/^the operator has to acknowledge the late result/);
  });

  it("asks for no call or step that the session has no room for", async () => {
    const pack = (limits: string) => `
#== session.yaml (with the required fields)
session_limits: { ${limits} }
#== check.yaml (with the required fields)
#== other.yaml (with the required fields)
#== act.yaml (with the required fields)
preconditions: [{ requires_prior_tool: check }]
#== late.yaml (with the required fields)
preconditions: [{ requires_step_count: { gte: 1 } }]
`;
    const calls = await guardOf(pack("max_tool_calls: 1"));
    await made(calls, "other", {});
    expect((await refusal(calls, "act")).hint).toBe(
      "needed first: a committed call of `check` from an earlier step; refused now: `check` (session_limit_exceeded)",
    );
    const steps = await guardOf(pack("max_steps: 1"));
    await steps.beginStep();
    await made(steps, "check", {});
    const none = "; refused now: a further step (session_limit_exceeded)";
    expect((await refusal(steps, "act")).hint).toBe(
      `the call that was made counts from the next step on; try again then${none}`,
    );
    expect((await refusal(steps, "late")).hint).toBe(`needed first: 1 completed steps${none}`);
  });

  it("names the unset variable that an output was compared with, and not another answer", async () => {
    const guard = await guardOf(
      `
#== check.yaml (with the required fields)
#== act.yaml (with the required fields)
preconditions: [{ requires_prior_tool: check, with_output: [{ path: $.t, equals_env: GUARD_TEST_TENANT }] }]
`,
      { env: "lenient" },
    );
    await made(guard, "check", {}, { t: "acme" });
    expect(await refusal(guard, "act")).toMatchObject({
      reason: "prior_output_mismatch",
      found: "environment variable GUARD_TEST_TENANT is unset",
      hint: "the operator has to set the variable; other arguments do not help",
    });
  });

  it("does not ask for other arguments, or an approval, where these cannot help", async () => {
    const guard = await guardOf(
      `
#== act.yaml (with the required fields)
policy: { deny: [{ principal: { path: $.name, regex: "a.{0,200}c$" } }] }
`,
      { principal: { name: "ab".repeat(500_000) } },
    );
    expect((await refusal(guard, "act")).hint).toMatch(/^the operator has to give a principal small enough/);
    const asking = await guardOf(
      "#== act.yaml (with the required fields)\ncheckpoint: { when: always, timeout_seconds: 60 }",
    );
    expect((await refusal(asking, "act")).hint).toMatch(/^the operator has to configure an approver/);
  });
});

describe("the reasons", () => {
  it("each have advice, and none is also the code of a finding", () => {
    expect(Object.keys(REASON_ADVICE).sort()).toEqual(Object.keys(REASONS).sort());
    expect(RULES.filter(({ code }) => Object.hasOwn(REASONS, code))).toEqual([]);
  });
});

describe("the message of a violation", () => {
  it("holds nothing of an output or of the arguments", async () => {
    const guard = await guardOf(`
#== check.yaml (with the required fields)
#== pay.yaml (with the required fields)
preconditions: [{ requires_prior_tool: check, with_output: [{ path: $.status, equals: ok }] }]
`);
    await made(guard, "check", {}, { status: SECRET });
    const { message, verdict } = await violationOf(guard.wrap(async () => ({}))("pay", {}));
    expect(message).toContain("prior_output_mismatch");
    expect(verdict.hint).toContain(SECRET);
    expect(message).not.toContain(SECRET);
  });

  it("holds nothing of an output that was called for in the same step", async () => {
    const guard = await guardOf(`
#== check.yaml (with the required fields)
#== pay.yaml (with the required fields)
preconditions: [{ requires_prior_tool: check, with_output: [{ path: $.status, equals: ok }] }]
`);
    await guard.beginStep();
    await made(guard, "check", {}, { status: SECRET });
    const { message, verdict } = await violationOf(guard.wrap(async () => ({}))("pay", {}));
    expect(verdict).toMatchObject({ reason: "prior_tool_missing", hint: expect.stringContaining(SECRET) });
    expect(message).not.toContain(SECRET);
  });

  it("holds nothing of a reference that is no number, nor of what is compared with it", async () => {
    const guard = await guardOf(`
#== session.yaml (with the required fields)
envelopes:
  - name: within
    constraint: lte_ceiling
    reason: Not above the ceiling
    stages: [{ tool: quote, source: output, path: $.n, role: ceiling }, { tool: pay, path: $.n, role: constrained }]
#== quote.yaml (with the required fields)
#== pay.yaml (with the required fields)
`);
    const pay = () => violationOf(guard.wrap(async () => ({}))("pay", { n: 5823 }));
    expect((await pay()).message).toContain("needed first: a committed call of `quote` (no ceiling is set yet)");
    await made(guard, "quote", {}, { n: SECRET });
    const { message, verdict } = await pay();
    expect(verdict).toMatchObject({ reason: "envelope_violated", hint: expect.stringContaining(SECRET) });
    expect(message).toMatch(/because: Not above the ceiling$/);
    expect(message).not.toContain(SECRET);
    expect(message).not.toContain("5823");
  });

  it("holds no key of a slot", async () => {
    const guard = await guardOf(LOOKED_AT);
    const violation = () => violationOf(guard.wrap(async () => ({}))("use", { id: SECRET }));
    const { message, verdict } = await violation();
    expect(verdict).toMatchObject({ reason: "requirement_unjudgeable", hint: expect.stringContaining(SECRET) });
    expect(message).toMatch(/because: Looked at first$/);
    expect(message).not.toContain(SECRET);
    await made(guard, "look", { id: SECRET }, {});
    const unset = await violation();
    expect(unset.verdict.hint).toMatch(/^this call stays refused as long as/);
    expect(unset.message).not.toContain(SECRET);
  });

  it("has no line breaks or escapes from the name of a tool", async () => {
    const guard = await guardOf("#== check.yaml (with the required fields)");
    const { message } = await violationOf(guard.wrap(async () => ({}))("x\n::error::\u001b[2J", {}));
    expect(message).toMatch(/^\P{Cc}*$/u);
  });

  it("is cut, as its verdict is, however long the name of a tool is", async () => {
    const guard = await guardOf("#== check.yaml (with the required fields)");
    const { message, verdict } = await violationOf(guard.wrap(async () => ({}))("x".repeat(100_000), {}));
    for (const text of [message, verdict.found]) expect(text?.length).toBeLessThan(2200);
  });
});

describe("errors of the store", () => {
  it("are reported by their code only, however an error is printed", async () => {
    const store = memoryStore();
    const guard = await guardOf("#== check.yaml (with the required fields)", {
      store,
      storeTimeoutMs: 50,
      settleTimeoutMs: 60,
    });
    const { callId } = await guard
      .propose({ tool: "check", args: {} })
      .then((verdict) => ({ callId: "call_1", verdict }));
    const failing = () => Promise.reject(Object.assign(new Error(SECRET), { code: "ECONNRESET", detail: SECRET }));
    store.append = failing;
    store.load = failing;
    const causes = [
      await rejectionOf(guard.addLabel("x")),
      await rejectionOf(guard.settle(callId, { kind: "result", output: {} })),
      await rejectionOf(guard.settle(callId, { kind: "did_not_happen" })),
    ];
    for (const cause of causes) expect(inspect(cause, { depth: 9 })).not.toContain(SECRET);
    expect(String(causes[0])).toContain("ECONNRESET");
  });
});
