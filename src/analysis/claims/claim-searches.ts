import type { Claim, ClaimBody } from "../../artifact/claim.js";
import type { CompiledCheck, CompiledPack } from "../../artifact/compiled.js";
import { unreachable } from "../../base/invariant.js";
import type { JsonObject } from "../../base/json.js";
import { decide, judge } from "../../guard/decide/decide.js";
import type { Program, Proposal, Tool } from "../../guard/program/program.js";
import type { Session } from "../../guard/session/session.js";
import { judgeClosing, judgeEntries } from "../../guard/values/judge-value.js";
import { actionsTo, type Node, signalled, type Visit } from "../search/search.js";
import type { Action } from "../trace/plan.js";

/** A claim about calls of one tool, as a search for a call that breaks it. */
export interface ClaimSearch {
  readonly tool: string;
  /** Other tools whose calls matter. */
  readonly others: readonly string[];
  /** Whether the order in which calls take effect matters. */
  readonly isOrderSensitive: boolean;
  /** Whether repeated calls matter, so that they must differ enough not to be loops. */
  readonly isVaried: boolean;
  /** The arguments that the claim is about; null for all. */
  readonly isMeant: ((args: JsonObject, program: Program) => boolean) | null;
  /** What matters about the path to a state. */
  history(node: Node): string;
  /** Whether the claim cannot be broken any more. */
  isOver(node: Node): boolean;
  /** The actions that break the claim, in a state. */
  find(visit: Visit, context: CallContext): readonly Action[] | null;
}

/** The calls to try in a state. */
export interface CallContext {
  readonly program: Program;
  readonly tool: Tool;
  readonly calls: readonly Proposal[];
}

function call({ tool, args }: Proposal): Action & { readonly kind: "call" } {
  return { kind: "call", tool: tool.name, args, outcome: { kind: "open" } };
}

function allowedIn({ program, calls }: CallContext, session: Session): Proposal | undefined {
  return calls.find((proposal) => judge(program, session, proposal) === null);
}

function findAllowed({ session }: Visit, context: CallContext): readonly Action[] | null {
  const allowed = allowedIn(context, session);
  return allowed === undefined ? null : [call(allowed)];
}

/** Whether the path to a state has a committed call of a tool; only the last unsettled call can settle. */
function hasCommitted(end: Node, { name, isAtOnce }: { readonly name: string; readonly isAtOnce: boolean }): boolean {
  let isSettled = false;
  for (let node: Node | null = end; node !== null; node = node.parent) {
    const { action, isRejected = false } = node;
    if (action?.kind === "settle") isSettled = !isRejected;
    if (action?.kind !== "call") continue;
    const isOpen = action.outcome.kind === "open";
    const isCommitted = isAtOnce || (!isRejected && (isOpen ? isSettled : action.outcome.kind === "result"));
    if (action.tool === name && isCommitted) return true;
    if (isOpen) isSettled = false;
  }
  return false;
}

/** Calls that may have happened: all but those that failed before they were sent, unless calls count from dispatch on. */
function countOf(node: Node, { name, isAtOnce }: { readonly name: string; readonly isAtOnce: boolean }): number {
  const calls = actionsTo(node).filter((action) => action.kind === "call" && action.tool === name);
  return calls.filter((action) => isAtOnce || (action.kind === "call" && action.outcome.kind !== "failed")).length;
}

/** A claim about calls. */
export type CallClaim = Exclude<ClaimBody, { readonly kind: "always_possible" }>;

/** The search for a call that breaks a claim. */
export function claimSearchFor(claim: CallClaim, { tools }: CompiledPack): ClaimSearch {
  const named = (name: string) => ({
    name,
    isAtOnce: tools.find((tool) => tool.name === name)?.commits === "at_dispatch",
  });
  const plain = {
    tool: claim.tool,
    others: [],
    isOrderSensitive: true,
    isVaried: false,
    isMeant: null,
    history: () => "",
    isOver: () => false,
    find: findAllowed,
  };
  switch (claim.kind) {
    case "never_without_prior": {
      const isOver = (node: Node) => hasCommitted(node, named(claim.prior));
      return { ...plain, others: [claim.prior], isOver };
    }
    case "never_after": {
      const history = (node: Node) => (hasCommitted(node, named(claim.after)) ? "after" : "");
      const find = (visit: Visit, context: CallContext) =>
        history(visit.node) === "" ? null : findAllowed(visit, context);
      return { ...plain, others: [claim.after], history, find };
    }
    case "never_when_label":
      return {
        ...plain,
        isOrderSensitive: false,
        find: (visit, context) => findUnderLabel(visit, context, claim.label),
      };
    case "at_most": {
      const history = (node: Node) => String(countOf(node, named(claim.tool)));
      const find = (visit: Visit, context: CallContext) =>
        countOf(visit.node, named(claim.tool)) < claim.calls ? null : findAllowed(visit, context);
      return { ...plain, isVaried: true, history, find };
    }
    case "requires_approval":
      return {
        ...plain,
        isOrderSensitive: false,
        isMeant: (args, program) => isNamed(claim.when, args, program),
        find: (visit, context) => findUnapproved(visit, context, claim.when),
      };
    default:
      return unreachable(claim);
  }
}

/** The label is added just before the call: earlier it could only refuse more. */
function findUnderLabel({ session: before }: Visit, context: CallContext, label: string): readonly Action[] | null {
  if (allowedIn(context, before) === undefined) return null;
  const session = signalled(context.program, before, { kind: "label", label });
  const allowed = allowedIn(context, session);
  return allowed === undefined ? null : [{ kind: "label", label }, call(allowed)];
}

type Conditions = (ClaimBody & { readonly kind: "requires_approval" })["when"];

/** Whether a claim names a call: like a checkpoint, it does as soon as one of several values meets a condition. */
function isNamed(when: Conditions, args: JsonObject, { env }: Program): boolean {
  return judgeEntries(when, args, env, judgeClosing) === true;
}

/** A call that meets the conditions and that only the claim's own checkpoint asks about. */
function findUnapproved(
  { session }: Visit,
  { program, calls }: CallContext,
  when: Conditions,
): readonly Action[] | null {
  let silent: Proposal | null = null;
  for (const proposal of calls) {
    if (!isNamed(when, proposal.args, program)) continue;
    const decision = decide(program, session, proposal, 0);
    const asking =
      decision.kind === "needs_approval" ? decision.checkpoints.filter((each) => !isClaimCheckpoint(each)) : [];
    if (decision.kind === "block") continue;
    if (asking.length === 0) return [call(proposal)];
    // An approver need not answer: if all checkpoints have `on_timeout: allow`, the call is allowed when the approval expires.
    if (asking.every(({ on_timeout: end }) => end === "allow")) silent ??= proposal;
  }
  return silent === null ? null : [{ ...call(silent), isUnanswered: true }];
}

const CLAIMED = "\u0000claim";

function isClaimCheckpoint({ name }: { readonly name: string | null }): boolean {
  return name === CLAIMED;
}

/** The pack with a checkpoint that has the claim's conditions, so that arguments that meet them are tried everywhere. */
export function withCheckpoint(
  pack: CompiledPack,
  { at, tool, when }: Claim & { kind: "requires_approval" },
): CompiledPack {
  const checkpoint: CompiledCheck = {
    kind: "checkpoint",
    at,
    name: CLAIMED,
    when: when.length === 0 ? null : when,
    match: "all",
    timeout_seconds: 1,
    on_timeout: "deny",
    context: [],
  };
  const tools = pack.tools.map((each) =>
    each.name === tool ? { ...each, checks: [...each.checks, checkpoint] } : each,
  );
  return { ...pack, tools };
}
