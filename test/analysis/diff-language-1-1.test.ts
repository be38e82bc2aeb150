import { describe, expect, it } from "vitest";
import { diffPacks } from "../../src/analysis/diff/diff-packs.js";
import { gateOf } from "../../src/analysis/diff/static/gate.js";
import type { Change } from "../../src/analysis/difference.js";
import type { Artifact } from "../../src/artifact/compiled.js";
import { sentenceOf } from "../../src/report/sentences.js";
import { artifactOf } from "../support/guard-artifact.js";
import { LANGUAGE_1_1_PACK as PACK } from "../support/language-1-1-pack.js";

const OLD = artifactOf(PACK);

async function changesAfter(from: string, to: string) {
  if (!PACK.includes(from)) throw new Error(`the pack has no ${from}`);
  const given = { bounds: null, wording: sentenceOf };
  const differences = await diffPacks(OLD, artifactOf(PACK.replace(from, to)), given);
  const changes = differences.flatMap((difference): readonly Change[] => difference.changes);
  return { changes, isLoosened: differences.some((difference) => gateOf(difference).loosened) };
}

/** What is changed, by key of the language. */
const LOOSENING: readonly (readonly [key: string, from: string, to: string, tools: readonly string[]])[] = [
  ["timezone", "Europe/Berlin", "America/New_York", ["pay"]],
  ["timezone, removed", "timezone: Europe/Berlin\n", "", ["pay"]],
  ["constants", "most: 100", "most: 101", ["pay"]],
  ["constants, below a key that looks like a place", "{ at: 1, sea: 2 }", "{ at: 3, sea: 2 }", ["ship"]],
  ["slot_limits of a keyed slot", "order: 50", "order: 51", ["look"]],
  ["slot_limits of a union", "paid: 9", "paid: 10", ["pay"]],
  ["slot_limits, removed", "slot_limits: { order: 50, paid: 9 }\n", "", ["look"]],
  ["max_calls_per_step", "max_calls_per_step: 2", "max_calls_per_step: 3", ["look", "pay", "ship"]],
  ["max_calls_per_step, removed", "session_limits: { max_calls_per_step: 2 }\n", "", ["look"]],
  [
    "tool_defaults.evidence_class",
    "evidence_class: local_transaction\n  commit",
    "evidence_class: ack_only\n  commit",
    ["ship"],
  ],
  ["tool_defaults.commit_requirement", "commit_requirement: acknowledged", "commit_requirement: none", ["look"]],
  ["tool_defaults.timeouts", "total_ms: 1000", "total_ms: 2000", ["look", "ship"]],
  ["tool_defaults.retries", "max_attempts: 2", "max_attempts: 3", ["pay"]],
  ["tool_defaults.rate_limits", "max_sleep_seconds: 5", "max_sleep_seconds: 6", ["pay"]],
  ["tool_defaults.assertions", "[{ path: $.id, exists: true, reason: An order is named }]", "[]", ["look", "ship"]],
  ["tool_defaults.allowed_errors", "outcome: unknown", "outcome: not_executed", ["look"]],
  [
    "tool_defaults.transitions",
    "  transitions: { valid_in_phases: [open], reason: Nothing after the end }\n",
    "",
    ["look"],
  ],
  ["tool_defaults.schema_derived", "schema_derived: true", "schema_derived: false", ["look"]],
  ["tool_defaults.policy", "not_equals: robot", "not_equals: bot", ["pay"]],
  ["tool_defaults.response_format_invariants", "finish_reason: tool_calls", "content_when_tool_calls: empty", ["pay"]],
  ["tool_defaults.checkpoint", "args.amount > 500", "args.amount > 501", ["look", "pay", "ship"]],
  ["let of the session", "small: args.amount <=", "small: args.amount - 1 <=", ["pay"]],
  ["let of a tool", 'slots.order[args.id]"', 'slots.order[args.other]"', ["pay"]],
  ["requires of the session", '"tainted" in labels', '"very_tainted" in labels', ["pay", "ship"]],
  ["requires of the session, tools", "tools: [pay, ship]", "tools: [pay]", ["ship"]],
  ["requires", "now.getHours() < 18", "now.getHours() < 19", ["pay"]],
  ["requires, removed", "  - { that: small || own.vip, reason: Small amounts }\n", "", ["pay"]],
  ["requires, `and` that became `or`", "has(slots.profile) && now", "has(slots.profile) || now", ["pay"]],
  ["ensures", "output.paid <= args.amount,", "output.paid <= args.amount + 1,", ["pay"]],
  [
    "ensures, removed",
    "ensures:\n  - { that: output.paid <= args.amount, reason: Never more than asked for }\n",
    "",
    ["pay"],
  ],
  ["that of a session's checkpoint", "size(args.note) > 10", "size(args.note) > 11", ["ship"]],
  ["binds[].key", "path: $, key: $.id", "path: $, key: $.number", ["look"]],
  ["binds[].collect", "path: $.id, collect: union", "path: $.number, collect: union", ["pay"]],
  ["binds[].decode", ", decode: json", "", ["look"]],
  ["unbinds", "unbinds:\n  - { name: order, key: $.id }\n", "", ["pay"]],
  ["unbinds[].key", "{ name: order, key: $.id }", "{ name: order, key: $.number }", ["pay"]],
  ["unbinds of the whole slot", "{ name: order, key: $.id }", "{ name: order }", ["pay"]],
  ["per", "per: $.customer", "per: $.account", ["pay"]],
  ["per, removed", "per: $.customer, ", "", ["pay"]],
  ["gt", "gt: 0", "gt: -1", ["pay"]],
  ["lt", "lt: 9000", "lt: 9001", ["pay"]],
  ["not_one_of", "not_one_of: [balloon]", "not_one_of: [kite]", ["ship"]],
];

const HARMLESS: readonly (readonly [key: string, from: string, to: string])[] = [
  ["reason of an invariant", "reason: An order is named", "reason: Name the order"],
  ["reason of transitions", "reason: Nothing after the end", "reason: Ended is ended"],
  ["reason of a policy", "reason: No robots", "reason: People only"],
  ["reason of a checkpoint", "reason: Large amounts are looked at", "reason: Somebody looks"],
  ["reason of a session's checkpoint", "reason: Long notes", "reason: Too long"],
  ["reason of a precondition", "reason: Look before you pay", "reason: Look first"],
  ["reason of requires", "reason: By day", "reason: In the light"],
  ["reason of ensures", "reason: Never more than asked for", "reason: Not more"],
  ["reason of an aggregate", "reason: A budget for each customer", "reason: Budgets"],
  ["reason of an argument value", "reason: A real amount", "reason: Real amounts"],
  ["reason of an execution constraint", "reason: No balloons", "reason: Nothing that flies"],
];

describe("a changed key of language 1.1", () => {
  it.each(LOOSENING)("does not pass the gate: %s", async (_key, from, to, tools) => {
    const { changes, isLoosened } = await changesAfter(from, to);
    expect(isLoosened).toBe(true);
    const doubtful = changes.filter(({ direction }) => direction === "weaker" || direction === "unknown");
    expect(doubtful.flatMap((change) => [...change.tools])).toEqual(expect.arrayContaining([...tools]));
    for (const { before, after } of doubtful) expect(before).not.toBe(after);
  });

  it.each(HARMLESS)("is shown, and passes the gate: %s", async (_key, from, to) => {
    const { changes, isLoosened } = await changesAfter(from, to);
    expect(isLoosened).toBe(false);
    expect(changes.length).toBeGreaterThan(0);
    for (const { before, after } of changes) expect(before).not.toBe(after);
  });

  it("is the version itself, in which the rules of 1.0 mean the same", async () => {
    const plain = (version: string) => `#== session.yaml
schema_version: "${version}"
agent: shop
#== look.yaml (with the required fields)
`;
    const [older, newer] = [artifactOf(plain("1.0")), artifactOf(plain("1.1"))];
    const given = { bounds: null, wording: sentenceOf };
    const changesTo = async (artifact: Artifact) => {
      const differences = await diffPacks(older, artifact, given);
      return differences.flatMap(({ changes }) => changes.map(({ name, direction }) => ({ name, direction })));
    };
    expect(await changesTo(newer)).toEqual([{ name: "contract language", direction: "same" }]);
    expect(await changesTo({ ...newer, language: "2.0" })).toEqual([
      { name: "contract language", direction: "unknown" },
    ]);
  });
});
