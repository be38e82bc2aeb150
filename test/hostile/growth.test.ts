import { describe } from "vitest";
import { lines, type RefusedPack, sessionText, testAccepted, testRefused, toolText } from "../support/hostile-pack.js";

function tool(what: string, code: string, fields: () => Readonly<Record<string, string>>): RefusedPack {
  return { what, code, files: () => ({ "t.yaml": toolText(fields()) }) };
}

function session(what: string, code: string, fields: () => Readonly<Record<string, string>>): RefusedPack {
  return { what, code, files: () => ({ "t.yaml": toolText(), "session.yaml": sessionText(fields()) }) };
}

function items(count: number, item: (index: number) => string): string {
  return `\n${lines(count, (index) => `  - ${item(index)}`)}`;
}

/** Phases in a row, each leading to the next. */
function phaseChain(count: number, isTerminal: boolean): Readonly<Record<string, string>> {
  return {
    phases: items(count, (n) => {
      const role = n === 0 ? ", initial: true" : isTerminal && n === count - 1 ? ", terminal: true" : "";
      return `{ name: p${n}${role} }`;
    }),
    transitions: `\n${lines(count - 1, (n) => `  p${n}: [p${n + 1}]`)}`,
  };
}

/** Tools that take everything they can from session.yaml. */
function takers(count: number): Readonly<Record<string, string>> {
  const names = Array.from({ length: count }, (_, n) => `t${n}`);
  return Object.fromEntries(names.map((name) => [`${name}.yaml`, `tool: ${name}\nside_effect: read\n`]));
}

function defaultsWith(invariants: string): string {
  return sessionText({
    schema_version: '"1.1"',
    tool_defaults: `
  evidence_class: local_transaction
  commit_requirement: acknowledged
  timeouts: { total_ms: 1 }
  retries: { max_attempts: 1, retry_on: [] }
  rate_limits: { on_429: { respect_retry_after: true, max_sleep_seconds: 1 } }
  golden_cases: []
  allowed_errors: []
  assertions:
    output_invariants: []
    input_invariants:
${invariants}`,
  });
}

describe("defaults that many tools take", () => {
  testRefused([
    {
      what: "two thousand invariants of three hundred tools",
      code: "too_many_defaults",
      files: () => ({
        ...takers(300),
        "session.yaml": defaultsWith(lines(2000, (n) => `      - { path: $.a${n}, exists: true }`)),
      }),
    },
    {
      what: "a hundred entries without an operator, of three hundred tools",
      code: "missing_operator",
      files: () => ({
        ...takers(300),
        "session.yaml": defaultsWith(lines(100, (n) => `      - { path: $.a${n} }`)),
      }),
    },
  ]);
});

describe("many mistakes of one kind", () => {
  testRefused([
    tool("five thousand errors of the wrong type", "wrong_type", () => ({ allowed_errors: items(5000, () => "1") })),
    tool("two thousand statuses of the wrong type", "wrong_type", () => {
      return { allowed_errors: items(2000, () => "{ status: true }") };
    }),
    tool("ten thousand retries of the wrong type", "wrong_type", () => {
      return { retries: `\n  max_attempts: 1\n  retry_on:\n${lines(10_000, () => "    - 1")}` };
    }),
    tool("five thousand conditions of the wrong type", "wrong_type", () => {
      return { checkpoint: `\n  timeout_seconds: 30\n  when:\n${lines(5000, () => "    - { path: 1 }")}` };
    }),
    tool("three thousand patterns that are none", "bad_regex", () => {
      return { execution_constraints: `\n  arguments:\n${lines(3000, () => '    - { path: $.a, regex: "(" }')}` };
    }),
    session("two thousand principals with an unknown key", "unknown_key", () => {
      return { policy: `\n  rules:\n${lines(2000, () => "    - allow: { principal: { pth: 1 } }")}` };
    }),
    session("two thousand checkpoints of the wrong type", "wrong_type", () => {
      return { checkpoints: items(2000, (n) => `{ name: c${n}, tool: t, when: 1, timeout_seconds: 30 }`) };
    }),
    session("two thousand aggregates without a bound", "missing_bound", () => {
      return { aggregates: items(2000, (n) => `{ name: a${n}, metric: count, tool: t, reason: r }`) };
    }),
    session("two thousand aggregates of one name", "duplicate_name", () => {
      return { aggregates: items(2000, () => "{ name: a, metric: count, tool: t, lte: 1, reason: r }") };
    }),
    session("four thousand suppressions of checks that do not exist", "unknown_check", () => {
      return { graph_analysis: `\n  suppress:\n${lines(4000, (n) => `    - { check: dead_tool${n}, reason: r }`)}` };
    }),
    session("a chain of three thousand phases without an end", "missing_terminal_phase", () => phaseChain(3000, false)),
  ]);
});

function propertiesOf(count: number): string {
  const properties = Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`a${index}`, { type: "string", maxLength: 3 }]),
  );
  return JSON.stringify([{ name: "t", input_schema: { type: "object", properties } }]);
}

describe("many things that are fine", () => {
  testAccepted([
    {
      what: "a chain of three thousand phases",
      files: () => ({ "t.yaml": toolText(), "session.yaml": sessionText(phaseChain(3000, true)) }),
    },
    {
      what: "a contract with four thousand invariants",
      files: () => ({
        "t.yaml": toolText({
          execution_constraints: `\n  arguments:\n${lines(4000, (n) => `    - { path: $.a${n}, equals: 1 }`)}`,
        }),
      }),
    },
    {
      what: "a contract that excludes five thousand paths of its schema",
      files: () => ({
        "t.yaml": toolText({ schema_derived_exclude: items(5000, (n) => `$.a${n}`) }),
        "tools.json": propertiesOf(5000),
      }),
    },
    {
      what: "a contract that overrides four thousand paths of its schema",
      files: () => ({
        "t.yaml": toolText({ argument_value_invariants: items(4000, (n) => `{ path: $.a${n}, gte: 1 }`) }),
        "tools.json": propertiesOf(5000),
      }),
    },
    {
      what: "a session with three thousand suppressions of nothing",
      files: () => ({
        "t.yaml": toolText(),
        "session.yaml": sessionText({
          graph_analysis: `\n  suppress:\n${lines(3000, () => "    - { check: dead_tool, reason: r }")}`,
        }),
      }),
      warnings: ["unused_suppression"],
    },
  ]);
});
