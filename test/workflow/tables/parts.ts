import type { Json } from "../../../src/base/json.js";
import type { SessionContract } from "../../../src/language/schema/session.js";
import type { WorkflowContract } from "../../../src/language/schema/workflow.js";
import { tool } from "../../differential/scenario.js";
import type { Operation } from "../../workflow-reference/operation.js";
import type { WorkflowPack } from "../../workflow-reference/reference/model.js";

/** What is done, and the word it is answered with; or parts of the state, as they are then. */
export type Row = readonly [operation: Operation, word: string] | { readonly state: object };

/** One case of a table. */
export interface Case {
  readonly sentence: string;
  readonly pack: WorkflowPack;
  readonly rows: readonly Row[];
}

const ALWAYS = { when: "always" as const, timeout_seconds: 30 };

/** `look` reads, the others change something: `fire` at dispatch, `check` after its output was judged, `ask` if somebody approves. */
const TOOLS = [
  tool("look", { side_effect: "read" }),
  tool("edit"),
  tool("pay", { side_effect: "financial" }),
  tool("fire", { commit_requirement: "none" }),
  tool("check", { assertions: { input_invariants: [], output_invariants: [{ path: "$.ok", equals: true }] } }),
  tool("ask", { checkpoint: ALWAYS }),
  tool("shut", { gate: "block" }),
];

const RESOURCES = { file: { type: "file", extract_from: { path: "$.file" } } };

/** Roles `lead` and `solo` start; a `lead` hands off to a `worker`, and that to a `helper`. */
export function packOf(workflow: Partial<WorkflowContract> = {}, session: Partial<SessionContract> = {}): WorkflowPack {
  const roles = ["lead", "solo", "worker", "helper"];
  const own = { schema_version: "1.0", agent: "tables", resources: RESOURCES, ...session };
  return {
    workflow: {
      schema_version: "1.0",
      workflow: "tables",
      roles: roles.map((name) => ({ name, session_contract: `packs/${name}/session.yaml` })),
      handoffs: [
        { from: "lead", to: "worker" },
        { from: "worker", to: "helper" },
      ],
      shared_resources: [{ alias: "file", mode: "single_writer" }],
      ...workflow,
    },
    packs: new Map(roles.map((role) => [role, { tools: TOOLS, session: own, definitions: null }])),
  };
}

export function start(session: string, role = "solo", more: Partial<Operation> = {}): Row {
  return answered({ op: "start", session, role, approver: "manual", ...more } as Operation, "allow");
}

export function handoff(from: string, session: string, role = "worker"): Row {
  return answered({ op: "handoff", from, session, role, approver: "manual" }, "allow");
}

export function answered(operation: Operation, word: string): Row {
  return [operation, word];
}

/** A call on a file; without a key it touches none. */
export function call(session: string, name: string, toolName: string, file?: Json): Operation {
  return { op: "propose", session, call: name, tool: toolName, args: file === undefined ? {} : { file } };
}

export function settle(name: string, outcome: unknown, word = "accepted"): Row {
  return [{ op: "settle", call: name, outcome }, word];
}

export const OUTCOMES = {
  result: { kind: "result", output: { ok: true } },
  bad: { kind: "result", output: { ok: false } },
  unsent: { kind: "error", sent: false },
  refused: { kind: "error", status: 404 },
  broken: { kind: "error", status: 500 },
  timeout: { kind: "timeout" },
  happened: { kind: "happened" },
  undone: { kind: "did_not_happen" },
} as const;

/** The statuses of some sessions. */
export function statuses(wanted: Readonly<Record<string, string>>): Row {
  return { state: { statuses: wanted } };
}
