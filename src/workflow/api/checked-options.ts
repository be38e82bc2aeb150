import { suggest } from "../../base/suggest.js";
import { isStorable } from "../../guard/durable/streams.js";
import type { DurableStore } from "../../guard/durable-store.js";
import type { KillScope } from "../state/workflow-event.js";
import type { HandoffOptions, Kill, SessionOptions, WorkflowOptions } from "./workflow-api.js";

const WORKFLOW: Readonly<Record<keyof WorkflowOptions, true>> = {
  store: true,
  workflowId: true,
  storeArguments: true,
  seal: true,
  open: true,
  clock: true,
  env: true,
  storeTimeoutMs: true,
  settleTimeoutMs: true,
};

const HANDOFF: Readonly<Record<keyof HandoffOptions, true>> = {
  artifacts: true,
  sessionId: true,
  principal: true,
  approver: true,
  mode: true,
  unmatched: true,
  requester: true,
  approvals: true,
  resolver: true,
};

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What is not known is rejected: an option that does nothing would go unnoticed. */
function checkNames(given: object, known: readonly string[]): void {
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue;
    const meant = suggest(name, known);
    throw new TypeError(`there is no option \`${name}\`${meant === undefined ? "" : `; did you mean \`${meant}\`?`}`);
  }
}

function isDurable(store: unknown): store is DurableStore {
  const methods = ["load", "append", "read", "list", "watch"] as const;
  return isObject(store) && methods.every((name) => typeof Reflect.get(store, name) === "function");
}

/** Checks the options of a workflow and copies them. */
export function checkedWorkflowOptions(given: unknown): WorkflowOptions {
  if (!isObject(given)) throw new TypeError("the options of a workflow must be an object with a `store`");
  const copy = { ...given } as WorkflowOptions;
  checkNames(copy, Object.keys(WORKFLOW));
  const { store, workflowId } = copy;
  if (!isDurable(store))
    throw new TypeError("`store` must be a store of contract-guard/stores, such as `openStore` opens");
  if (workflowId !== undefined && !isId(workflowId)) throw new TypeError(`\`workflowId\` must be ${ID}`);
  return copy;
}

const ID = "a text of 1 to 500 bytes, without U+0000 and halves of surrogate pairs";

function isId(id: unknown): id is string {
  return typeof id === "string" && isStorable(id) && Buffer.byteLength(id) <= 500;
}

/** Checks the options of a session and copies them; its guard checks the rest. */
export function checkedSessionOptions(given: unknown, isHandoff = false): HandoffOptions {
  if (given !== undefined && !isObject(given)) throw new TypeError("the options of a session must be an object");
  const copy: HandoffOptions = { ...given };
  const known = Object.keys(HANDOFF).filter((name) => isHandoff || name !== "artifacts");
  checkNames(copy, known);
  const { sessionId } = copy;
  if (sessionId !== undefined && !isId(sessionId)) throw new TypeError(`\`sessionId\` must be ${ID}`);
  return copy;
}

/** The options of a guard that were given: an option that is undefined is none. */
export function givenOptions(options: SessionOptions): SessionOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

const SCOPES: readonly KillScope[] = ["session", "subtree", "workflow"];

/** A kill as it is recorded. */
export interface CheckedKill {
  readonly scope: KillScope;
  readonly session: string | null;
  readonly why: string;
  readonly operator: string | null;
}

/** Checks whom a kill is to end. Why is up to its caller, as for the kill of a guard. */
export function checkedKill(given: unknown): CheckedKill {
  if (!isObject(given)) throw new TypeError("a kill is an object: `{ scope, session, why, operator }`");
  const { scope, session, why, operator }: Partial<Kill> = given;
  if (scope === undefined || !SCOPES.includes(scope))
    throw new TypeError("`scope` must be session, subtree or workflow");
  if (scope !== "workflow" && typeof session !== "string") throw new TypeError("`session` must be the id of a session");
  if (operator !== undefined && (typeof operator !== "string" || operator.trim() === "")) {
    throw new TypeError("`operator` must be a name");
  }
  return {
    scope,
    session: scope === "workflow" ? null : (session ?? null),
    why: typeof why === "string" ? why : "no reason given",
    operator: operator ?? null,
  };
}
