import type { Artifact } from "../../src/artifact/compiled.js";
import type { Json, JsonObject } from "../../src/base/json.js";
import type { Acknowledgement, Options, Proposal } from "./reference/model.js";

/** Everything this folder knows of the real guard: where it is, how it is made, and the shapes of its answers. */
const GUARD = new URL("../../src/guard/guard.ts", import.meta.url);

export interface GuardVerdict {
  readonly kind: string;
  readonly reason?: string;
  readonly callId?: string;
  readonly approvalId?: string;
  readonly repeated?: boolean;
  readonly approvedBy?: readonly string[];
  /** Of an answer that was recorded. */
  readonly approvals?: number;
  readonly needed?: number;
  readonly context?: unknown;
  readonly found?: string;
  readonly because?: string | undefined;
  readonly would?: {
    readonly kind: string;
    readonly reason?: string;
    readonly because?: string | undefined;
    readonly found?: string;
  } | null;
}

type Named<T> = ReadonlyMap<string, T> | Readonly<Record<string, T>>;

export interface GuardState {
  readonly phase?: string | null;
  readonly steps: number;
  readonly toolCalls: number;
  readonly bindings: Named<Json>;
  readonly aggregates: Named<number | null | Readonly<Record<string, number | null>>>;
  readonly labels: Iterable<string>;
  readonly killed: unknown;
  readonly unsettled: readonly { readonly callId: string; readonly tool: string; readonly status: string }[];
  readonly cost: number;
}

export interface GuardVisibility {
  readonly visible: Iterable<string>;
  readonly hidden: Iterable<{ readonly tool: string; readonly reason: string }>;
}

export type Later<T> = T | Promise<T>;

export interface GuardSettlement {
  readonly accepted: boolean;
  readonly reason?: string;
  readonly violation?: GuardViolation | null;
}

/** The rule that an output broke. */
export interface GuardViolation {
  readonly reason: string;
  readonly because?: string | undefined;
}

type ProxyCall = (tool: string, args: unknown, options?: { readonly signal?: AbortSignal }) => Promise<unknown>;

/** The real guard, as far as it is compared; what a caller may get wrong is of any type. */
export interface Guard {
  propose(call: Proposal): Later<GuardVerdict>;
  settle(callId: string, outcome: unknown): Later<GuardSettlement>;
  approve(approvalId: string, answer: { by: string }): Later<GuardVerdict>;
  deny(approvalId: string, answer: { by: string }): Later<GuardVerdict>;
  resume(approvalId: string): Later<GuardVerdict>;
  acknowledge(callId: string, found: Acknowledgement): Later<GuardSettlement>;
  beginStep(): Later<GuardVerdict>;
  recordCost(usd: number): Later<void>;
  addLabel(label: unknown): Later<void>;
  kill(why: unknown): Later<void>;
  state(): Later<GuardState>;
  visibleTools(): Later<GuardVisibility>;
  wrap(proxyCall: () => Promise<unknown>): ProxyCall;
  on(event: "approval_requested", listener: (told: { readonly approvalId: string }) => void): unknown;
}

interface GuardOptions {
  readonly sessionId: string;
  readonly principal?: JsonObject;
  readonly mode: Options["mode"];
  readonly unmatched: Options["unmatched"];
  readonly approver?: "manual";
  /** Of any shape, because a store may break its promises. */
  readonly store: object;
  readonly clock: Options["clock"];
  readonly env: "lenient";
  readonly storeTimeoutMs: number;
  readonly settleTimeoutMs?: number;
  readonly requester?: string;
  readonly approvals?: Options["approvals"];
}

/** The variables that generated packs compare with. */
const VARIABLES = ["LETTER", "REGION", "UNSET"];

/** Only a lenient guard starts with a variable unset. It reads those of the process once, while it is made. */
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

/** The maker of the real guard. */
export async function loadGuard(): Promise<CreateGuard> {
  const module: { readonly createGuard?: CreateGuard } = await import(GUARD.href);
  if (module.createGuard === undefined) throw new Error(`${GUARD.pathname} does not export createGuard`);
  return module.createGuard;
}

let sessions = 0;

/** A name for a session that no other has. */
export function newSessionId(): string {
  sessions += 1;
  return `differential-${sessions}`;
}

/**
 * A store in memory answers before any timer fires, so that only a silent one is given up. Long enough for attempts on a busy machine
 * and beside a reference that tries every world:
 * what they take together is limited too.
 */
const STORE_TIMEOUT_MS = 400;

interface StartOptions extends Options {
  readonly store: object;
  /** A session of its own unless told. */
  readonly sessionId?: string;
  readonly settleTimeoutMs?: number;
}

/** A real guard. */
export async function startGuard(create: CreateGuard, artifact: Artifact, options: StartOptions): Promise<Guard> {
  const { sessionId = newSessionId(), principal, approver, mode, unmatched, store, clock, env } = options;
  const { settleTimeoutMs, requester, approvals } = options;
  const made = {
    sessionId,
    mode,
    unmatched,
    store,
    clock,
    env: "lenient",
    storeTimeoutMs: STORE_TIMEOUT_MS,
    ...(settleTimeoutMs === undefined ? {} : { settleTimeoutMs }),
    ...(principal === null ? {} : { principal }),
    ...(approver === null ? {} : { approver }),
    ...(requester === undefined ? {} : { requester }),
    ...(approvals === undefined ? {} : { approvals }),
  } as const;
  return within(env, () => create(artifact, made));
}

/** The entries of a map or an object, sorted by name. */
export function entriesOf<T>(named: Named<T>): readonly (readonly [string, T])[] {
  const entries: [string, T][] = named instanceof Map ? [...named] : Object.entries(named);
  return entries.sort(([a], [b]) => (a < b ? -1 : 1));
}
