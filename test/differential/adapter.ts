import { existsSync } from "node:fs";
import type { Artifact } from "../../src/artifact/compiled.js";
import type { Json, JsonObject } from "../../src/base/json.js";
import type { SessionStore } from "../../src/guard/store.js";
import type { Options, Outcome, Proposal } from "./reference/model.js";

/** Everything this folder knows of the real guard: where it is, how it is made, and the shapes of its answers. */
const GUARD = new URL("../../src/guard/guard.ts", import.meta.url);

export interface GuardVerdict {
  readonly kind: string;
  readonly reason?: string;
  readonly callId?: string;
  readonly approvalId?: string;
  readonly would?: { readonly kind: string; readonly reason?: string } | null;
}

type Named<T> = ReadonlyMap<string, T> | Readonly<Record<string, T>>;

export interface GuardState {
  readonly phase?: string | null;
  readonly steps: number;
  readonly toolCalls: number;
  readonly bindings: Named<Json>;
  readonly aggregates: Named<number | null>;
  readonly labels: Iterable<string>;
  readonly killed: unknown;
  readonly unsettled: readonly { readonly callId: string; readonly tool: string; readonly status: string }[];
  readonly cost: number;
}

export interface GuardVisibility {
  readonly visible: Iterable<string>;
  readonly hidden: Iterable<{ readonly tool: string; readonly reason: string }>;
}

type Later<T> = T | Promise<T>;

/** The real guard, as far as it is compared. */
export interface Guard {
  propose(call: Proposal): Later<GuardVerdict>;
  settle(callId: string, outcome: Outcome): Later<{ accepted: boolean; reason?: string; violation?: unknown }>;
  approve(approvalId: string, answer: { by: string }): Later<GuardVerdict>;
  deny(approvalId: string, answer: { by: string }): Later<GuardVerdict>;
  resume(approvalId: string): Later<GuardVerdict>;
  beginStep(): Later<GuardVerdict>;
  recordCost(usd: number): Later<void>;
  addLabel(label: string): Later<void>;
  kill(why: string): Later<void>;
  state(): Later<GuardState>;
  visibleTools(): Later<GuardVisibility>;
}

interface GuardOptions {
  readonly sessionId: string;
  readonly principal?: JsonObject;
  readonly mode: Options["mode"];
  readonly unmatched: Options["unmatched"];
  readonly approver?: "manual";
  readonly store: SessionStore;
  readonly clock: Options["clock"];
  readonly env: "lenient";
}

/** The variables that generated packs compare with. */
const VARIABLES = ["LETTER", "REGION", "UNSET"];

/** Only a guard that is told so starts with a variable unset, and it reads those of the process: once, while it is made. */
function within<T>(env: Options["env"], make: () => T): T {
  const before = VARIABLES.map((name) => [name, process.env[name]] as const);
  const set = (name: string, value: string | undefined) => {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  };
  for (const name of VARIABLES) set(name, env[name]);
  try {
    return make();
  } finally {
    for (const [name, value] of before) set(name, value);
  }
}

export type CreateGuard = (artifact: Artifact, options: GuardOptions) => Later<Guard>;

/** The maker of the real guard; null as long as there is none. */
export async function loadGuard(): Promise<CreateGuard | null> {
  if (!existsSync(GUARD)) return null;
  const module: { readonly createGuard?: CreateGuard } = await import(GUARD.href);
  if (module.createGuard === undefined) throw new Error(`${GUARD.pathname} does not export createGuard`);
  return module.createGuard;
}

let sessions = 0;

/** A real guard for a session of its own. */
export async function startGuard(
  create: CreateGuard,
  artifact: Artifact,
  options: Options & { readonly store: SessionStore },
): Promise<Guard> {
  sessions += 1;
  const { principal, approver, mode, unmatched, store, clock, env } = options;
  const made = {
    sessionId: `differential-${sessions}`,
    mode,
    unmatched,
    store,
    clock,
    env: "lenient",
    ...(principal === null ? {} : { principal }),
    ...(approver === null ? {} : { approver }),
  } as const;
  return within(env, () => create(artifact, made));
}

/** The entries of a map or an object, sorted by name. */
export function entriesOf<T>(named: Named<T>): readonly (readonly [string, T])[] {
  const entries: [string, T][] = named instanceof Map ? [...named] : Object.entries(named);
  return entries.sort(([a], [b]) => (a < b ? -1 : 1));
}
