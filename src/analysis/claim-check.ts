import type { Claim, ClaimBody } from "../artifact/claim.js";
import type { Artifact, CompiledCheck, CompiledPack } from "../artifact/compiled.js";
import { canonicalJson } from "../base/canonical-json.js";
import { unreachable } from "../base/invariant.js";
import type { Json } from "../base/json.js";
import { advance } from "../guard/advance.js";
import { decide, judge } from "../guard/decide.js";
import { judgeEntries } from "../guard/judge-value.js";
import type { Program, Tool } from "../guard/program.js";
import { copySession, type Proposal, type Session } from "../guard/session.js";
import { Abstraction } from "./abstraction.js";
import { Moves } from "./moves.js";
import { PackUnderTest } from "./pack-under-test.js";
import type { Action, Plan } from "./plan.js";
import { actionsTo, type Node, Search, type SearchBounds, type Visit } from "./search.js";

/** What looking for a counterexample gave. */
export interface ClaimCheck {
  readonly counterexample: Plan | null;
  /** Every state was looked at. */
  readonly isComplete: boolean;
  readonly explored: number;
}

/** Different principals that are tried, those who may do most first. */
const MOST_PRINCIPALS = 4;
/** States that are looked at while a call is open: there are many, and few of them matter. */
const MOST_OVERLAPPING = 600;

/** A claim about calls of one tool, as a search for a call that breaks it. */
interface Hunt {
  readonly tool: string;
  /** Other tools whose calls matter. */
  readonly others: readonly string[];
  /** Whether it matters in which order calls take effect. */
  readonly isOfOrder: boolean;
  /** Whether repeating calls matters, so that they must be told apart from loops. */
  readonly isVaried: boolean;
  /** What of the way to a state matters. */
  history(node: Node): string;
  /** Whether the claim is beyond breaking. */
  isOver(node: Node): boolean;
  /** The actions that break the claim, in a state. */
  find(visit: Visit, around: Around): readonly Action[] | null;
}

/** Where a call is looked for. */
interface Around {
  readonly program: Program;
  readonly tool: Tool;
  readonly calls: readonly Proposal[];
}

function call({ tool, args }: Proposal): Action {
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

function countOf(node: Node, tool: string): number {
  return actionsTo(node).filter((action) => action.kind === "call" && action.tool === tool).length;
}

type CallClaim = Exclude<ClaimBody, { readonly kind: "always_possible" }>;

function huntFor(claim: CallClaim, { tools }: CompiledPack): Hunt {
  const named = (name: string) => ({
    name,
    isAtOnce: tools.find((tool) => tool.name === name)?.commits === "at_dispatch",
  });
  const plain = {
    tool: claim.tool,
    others: [],
    isOfOrder: true,
    isVaried: false,
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
      const history = (node: Node) => String(countOf(node, claim.tool));
      const find = (visit: Visit, around: Around) =>
        countOf(visit.node, claim.tool) < claim.calls ? null : findAllowed(visit, around);
      return { ...plain, isVaried: true, history, find };
    }
    case "requires_approval":
      return { ...plain, isOfOrder: false, find: (visit, around) => findUnapproved(visit, around, claim.when) };
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
  const free = calls.find((proposal) => {
    if (judgeEntries(when, proposal.args, program.env) !== true) return false;
    const decision = decide(program, session, proposal, 0);
    return decision.kind === "allow" || (decision.kind === "needs_approval" && decision.checkpoints.every(isOfClaim));
  });
  return free === undefined ? null : [call(free)];
}

const CLAIMED = "\u0000claim";

function isOfClaim({ name }: { readonly name: string | null }): boolean {
  return name === CLAIMED;
}

/** The pack with a checkpoint that says what the claim says, so that arguments that meet it are tried everywhere. */
function withCheckpoint(pack: CompiledPack, { at, tool, when }: Claim & { kind: "requires_approval" }): CompiledPack {
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

interface Hunted {
  readonly actions: readonly Action[] | null;
  readonly isComplete: boolean;
  readonly explored: number;
}

/** Looks for sessions that break claims about calls. */
export class ClaimChecker {
  constructor(
    private readonly under: PackUnderTest,
    private readonly bounds: SearchBounds,
  ) {}

  check(claim: Claim & CallClaim): ClaimCheck {
    const { artifact, pack } = this.under;
    // What the guard counts for itself needs no search.
    if (claim.kind === "at_most" && limitOf(pack, claim.tool) <= claim.calls) return PROVED;
    const under =
      claim.kind === "requires_approval" && claim.when.length > 0
        ? underTest(artifact, withCheckpoint(pack, claim))
        : this.under;
    const hunt = huntFor(claim, pack);
    const names = new Set(under.influence.on([hunt.tool, ...hunt.others]));
    let explored = 0;
    let isComplete = true;
    for (const principal of principalsOf(under, names, hunt.tool)) {
      const program = under.slice(names, principal);
      // Calls that end before the next begins give the plainer sessions.
      for (const overlaps of hunt.isOfOrder ? [false, true] : [false]) {
        const found = this.hunt(under, program, hunt, overlaps);
        explored += found.explored;
        isComplete &&= found.isComplete;
        const { actions } = found;
        if (actions !== null) return { counterexample: { principal, env: under.env, actions }, isComplete, explored };
      }
    }
    return { counterexample: null, isComplete, explored };
  }

  private hunt(under: PackUnderTest, program: Program, hunt: Hunt, overlaps: boolean): Hunted {
    const moves = new Moves(program, under.library);
    const tool = program.tools.get(hunt.tool);
    const { history, isOver, isOfOrder: voids } = hunt;
    const beyond = { overlaps, voids, history, isOver };
    const bounds = overlaps ? { ...this.bounds, states: Math.min(this.bounds.states, MOST_OVERLAPPING) } : this.bounds;
    const search = new Search(
      program,
      new Abstraction(program, tool ?? null),
      moves,
      bounds,
      hunt.isVaried ? (tool ?? null) : null,
      beyond,
    );
    let actions: readonly Action[] | null = null;
    for (const visit of tool === undefined ? [] : search.visits()) {
      const { session, node } = visit;
      if (tool === undefined || session.killed !== null) continue;
      const calls = [...moves.probing(tool, session), ...moves.fresh(tool, session, node.depth + 1)];
      const last = hunt.find(visit, { program, tool, calls });
      if (last === null) continue;
      actions = [...actionsTo(node), ...last];
      break;
    }
    return { actions, isComplete: search.hit.size === 0, explored: search.visited };
  }
}

const PROVED: ClaimCheck = { counterexample: null, isComplete: true, explored: 0 };

/** The most calls of a tool that the guard allows in a session. */
function limitOf({ tools }: CompiledPack, name: string): number {
  const checks = tools.find((tool) => tool.name === name)?.checks ?? [];
  const limits = checks.flatMap((check) =>
    check.kind === "max_calls_per_tool" || check.kind === "max_tool_calls" ? [check.max] : [],
  );
  return Math.min(Number.POSITIVE_INFINITY, ...limits);
}

function underTest(artifact: Artifact, pack: CompiledPack): PackUnderTest {
  return new PackUnderTest(artifact, pack);
}

/** Principals who may call the tool, no two with the same rights. */
function principalsOf(under: PackUnderTest, names: ReadonlySet<string>, tool: string): readonly (Json | null)[] {
  const byRights = new Map<string, Json | null>();
  for (const { principal, refusals } of under.principalsFor(names)) {
    if (refusals.has(tool)) continue;
    const rights = canonicalJson([...names].filter((name) => !refusals.has(name)));
    if (!byRights.has(rights)) byRights.set(rights, principal);
  }
  return [...byRights.values()].slice(0, MOST_PRINCIPALS);
}
