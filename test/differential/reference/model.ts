import type { Reason as FormerReason } from "../../../src/artifact/reasons.js";
import type { Json, JsonObject } from "../../../src/base/json.js";
import type { SessionContract } from "../../../src/language/schema/session.js";
import type { ToolContract } from "../../../src/language/schema/tool.js";
import { readsPrincipal } from "./expressions.js";
import type { Seat } from "./seat.js";

/** Every reason of a refusal, with those of language 1.1. */
export type Reason = FormerReason | "requirement_failed" | "requirement_unjudgeable" | "aggregate_full";

/** One entry of tools.json, in the one shape that the differential tests use. */
export interface ToolDefinition {
  readonly name: string;
  readonly input_schema: JsonObject;
}

/** A pack as it is written, before any compiling. */
export interface Pack {
  readonly tools: readonly ToolContract[];
  readonly session: SessionContract | null;
  readonly definitions: readonly ToolDefinition[] | null;
}

export type Mode = "enforce" | "shadow" | "log-only";

export interface Options {
  readonly principal: JsonObject | null;
  readonly env: Readonly<Record<string, string>>;
  readonly unmatched: "allow" | "block";
  readonly mode: Mode;
  readonly approver: "manual" | null;
  readonly clock: { now(): number };
  /** For how many calls keys are kept; 10,000 by default. */
  readonly keptKeys?: number;
  /** On whose behalf approvals are asked for. */
  readonly requester?: string;
  /** How many different people have to approve (1), and whether the requester is none of them (true). */
  readonly approvals?: { readonly quorum?: number; readonly notRequester?: boolean };
  /** The place of the session in its workflow, where it has one. */
  readonly seat?: Seat;
}

/** A proposed call; its parts come from a model and may be anything. */
export interface Proposal {
  readonly tool: unknown;
  readonly args: unknown;
  /** Names the call where its caller may repeat itself. */
  readonly callKey?: unknown;
}

export interface Block {
  readonly kind: "block";
  readonly reason: Reason;
  /** The policy's own words for the rule that refuses, where it has any. */
  readonly because?: string | undefined;
}
export function block(reason: Reason, because?: string): Block {
  return { kind: "block", reason, because };
}

export interface Asked {
  readonly kind: "approval_required";
  readonly approvalId: string;
  readonly callId: string;
  readonly because?: string | undefined;
  /** Who has approved so far. */
  readonly approvedBy?: readonly string[];
  readonly repeated?: true;
}
export interface Allowed {
  readonly kind: "allow";
  readonly callId: string;
  readonly would?: Block | Pick<Asked, "kind" | "because">;
  /** The answer was given before, so the caller that got it first makes the call. */
  readonly repeated?: true;
}
export type Verdict = Allowed | Block | Asked;

/** An answer was recorded: the call waits for more of them, or for somebody to resume it. */
export interface Recorded {
  readonly kind: "recorded";
  readonly approvals: number;
  readonly needed: number;
}

/** What the caller says became of a call. */
export type Outcome =
  | { readonly kind: "result"; readonly output: unknown }
  | {
      readonly kind: "error";
      readonly status?: number;
      readonly code?: string;
      readonly message?: string;
      /** Only `false` says that nothing left; without it the call counts as sent. */
      readonly sent?: boolean;
      /** The tool itself answered with a refusal. */
      readonly answered?: boolean;
    }
  | { readonly kind: "timeout"; readonly sent?: boolean }
  | { readonly kind: "happened"; readonly output?: Json }
  | { readonly kind: "did_not_happen" };

export type SettleRefusal = "unknown_call" | "already_settled" | "outcome_is_open" | "committed_at_dispatch";

/** What somebody found out about a call whose result came late. */
export interface Acknowledgement {
  readonly by: string;
  readonly why: string;
  readonly happened: boolean;
}

/** The rule that an output broke. */
export interface Violation {
  readonly reason: Reason;
  readonly because?: string | undefined;
}

export type Settlement =
  | { readonly accepted: true; readonly violation?: Violation }
  | { readonly accepted: false; readonly reason: SettleRefusal | "no_late_result" };

export interface State {
  readonly phase: string | null;
  readonly steps: number;
  readonly toolCalls: number;
  readonly bindings: ReadonlyMap<string, Json>;
  /** Of an aggregate per value, one number for each value, under its canonical JSON. */
  readonly aggregates: ReadonlyMap<string, number | null | Readonly<Record<string, number | null>>>;
  readonly labels: readonly string[];
  readonly killed: boolean;
  readonly unsettled: readonly {
    readonly callId: string;
    readonly tool: string;
    readonly status: "running" | "indeterminate";
  }[];
  readonly cost: number;
}

export interface Visibility {
  readonly visible: readonly string[];
  readonly hidden: readonly { readonly tool: string; readonly reason: Reason }[];
}

/** The contract of a tool, or null where it has none. */
export function contractOf(pack: Pack, tool: string): ToolContract | null {
  return pack.tools.find((contract) => contract.tool === tool) ?? null;
}

/** Whether some rule of the pack looks at who calls. */
export function needsPrincipal({ tools, session, definitions }: Pack): boolean {
  const rules = (session?.policy?.rules ?? []).flatMap(({ allow, deny }) => [allow, deny]);
  const own = tools.flatMap(({ policy }) => [...(policy?.allow ?? []), ...(policy?.deny ?? [])]);
  return (
    [...rules, ...own].some((entry) => entry?.principal !== undefined) ||
    readsPrincipal({ tools, session, definitions })
  );
}
