import type { Claim, ClaimBody } from "../../artifact/claim.js";
import type { CompiledCheck, CompiledPack } from "../../artifact/compiled.js";
import { unreachable } from "../../base/invariant.js";
import type { JsonObject } from "../../base/json.js";
import { decide, judge } from "../../guard/decide/decide.js";
import type { Program, Proposal, Tool } from "../../guard/program/program.js";
import { advance } from "../../guard/session/advance.js";
import { copySession, type Session } from "../../guard/session/session.js";
import { judgeEntries } from "../../guard/values/judge-value.js";
import { actionsTo, type Node, type Visit } from "../search/search.js";
import type { Action } from "../trace/plan.js";

/** A claim about calls of one tool, as a search for a call that breaks it. */
export interface Hunt {
  readonly tool: string;
  /** Other tools whose calls matter. */
  readonly others: readonly string[];
  /** Whether it matters in which order calls take effect. */
  readonly isOfOrder: boolean;
  /** Whether repeating calls matters, so that they must be told apart from loops. */
  readonly isVaried: boolean;
  /** Which arguments the claim is about; null for all. */
  readonly isMeant: ((args: JsonObject, program: Program) => boolean) | null;
  /** What of the way to a state matters. */
  history(node: Node): string;
  /** Whether the claim is beyond breaking. */
  isOver(node: Node): boolean;
  /** The actions that break the claim, in a state. */
  find(visit: Visit, around: Around): readonly Action[] | null;
}

/** Where a call is looked for. */
export interface Around {
  readonly program: Program;
  readonly tool: Tool;
  readonly calls: readonly Proposal[];
}

function call({ tool, args }: Proposal): Action & { readonly kind: "call" } {
  return { kind: "call", tool: tool.name, args, outcome: { kind: "open" } };
}

function allowedIn({ program, calls }: Around, session: Session): Proposal | undefined {
  return calls.find((proposal) => judge(program, session, proposal) === null);
}

function findAllowed({ session }: Visit, around: Around): readonly Action[] | null {
  const allowed = allowedIn(around, session);
  return allowed === undefined ? null : [call(allowed)];
}

/** Whether the way to a state has a committed call of a tool; only the last open call can settle. */
function hasCommitted(end: Node, { name, isAtOnce }: { readonly name: string; readonly isAtOnce: boolean }): boolean {
  let isSettled = false;
  for (let node: Node | null = end; node !== null; node = node.parent) {
    const { action, isVoid = false } = node;
    if (action?.kind === "settle") isSettled = !isVoid;
    if (action?.kind !== "call") continue;
    const isOpen = action.outcome.kind === "open";
    const isCommitted = isAtOnce || (!isVoid && (isOpen ? isSettled : action.outcome.kind === "result"));
    if (action.tool === name && isCommitted) return true;
    if (isOpen) isSettled = false;
  }
  return false;
}

/** Calls that may have happened: all but those that failed before they were sent, unless they count from their dispatch on. */
function countOf(node: Node, { name, isAtOnce }: { readonly name: string; readonly isAtOnce: boolean }): number {
  const calls = actionsTo(node).filter((action) => action.kind === "call" && action.tool === name);
  return calls.filter((action) => isAtOnce || (action.kind === "call" && action.outcome.kind !== "failed")).length;
}

/** A claim about calls. */
export type CallClaim = Exclude<ClaimBody, { readonly kind: "always_possible" }>;

/** What breaks a claim, and where to look for it. */
export function huntFor(claim: CallClaim, { tools }: CompiledPack): Hunt {
  const named = (name: string) => ({
    name,
    isAtOnce: tools.find((tool) => tool.name === name)?.commits === "at_dispatch",
  });
  const plain = {
    tool: claim.tool,
    others: [],
    isOfOrder: true,
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
      const find = (visit: Visit, around: Around) => (history(visit.node) === "" ? null : findAllowed(visit, around));
      return { ...plain, others: [claim.after], history, find };
    }
    case "never_when_label":
      return { ...plain, isOfOrder: false, find: (visit, around) => findUnderLabel(visit, around, claim.label) };
    case "at_most": {
      const history = (node: Node) => String(countOf(node, named(claim.tool)));
      const find = (visit: Visit, around: Around) =>
        countOf(visit.node, named(claim.tool)) < claim.calls ? null : findAllowed(visit, around);
      return { ...plain, isVaried: true, history, find };
    }
    case "requires_approval":
      return {
        ...plain,
        isOfOrder: false,
        isMeant: (args, { env }) => judgeEntries(claim.when, args, env) === true,
        find: (visit, around) => findUnapproved(visit, around, claim.when),
      };
    default:
      return unreachable(claim);
  }
}

/** The label comes just before the call: sooner it could only refuse more. */
function findUnderLabel({ session: before }: Visit, around: Around, label: string): readonly Action[] | null {
  if (allowedIn(around, before) === undefined) return null;
  const session = copySession(before);
  advance(around.program, session, { kind: "label_added", label });
  const allowed = allowedIn(around, session);
  return allowed === undefined ? null : [{ kind: "label", label }, call(allowed)];
}

type Conditions = (ClaimBody & { readonly kind: "requires_approval" })["when"];

/** A call that meets the conditions and that nobody but the claim itself asks about. */
function findUnapproved({ session }: Visit, { program, calls }: Around, when: Conditions): readonly Action[] | null {
  let silent: Proposal | null = null;
  for (const proposal of calls) {
    if (judgeEntries(when, proposal.args, program.env) !== true) continue;
    const decision = decide(program, session, proposal, 0);
    const asking = decision.kind === "needs_approval" ? decision.checkpoints.filter((each) => !isOfClaim(each)) : [];
    if (decision.kind === "block") continue;
    if (asking.length === 0) return [call(proposal)];
    // Whoever is asked need not answer: with `on_timeout: allow` of all that ask, time alone lets the call through.
    if (asking.every(({ on_timeout: end }) => end === "allow")) silent ??= proposal;
  }
  return silent === null ? null : [{ ...call(silent), isUnanswered: true }];
}

const CLAIMED = "\u0000claim";

function isOfClaim({ name }: { readonly name: string | null }): boolean {
  return name === CLAIMED;
}

/** The pack with a checkpoint that says what the claim says, so that arguments that meet it are tried everywhere. */
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
