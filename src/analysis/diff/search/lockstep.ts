import { canonicalJson } from "../../../base/canonical-json.js";
import type { Json, JsonObject } from "../../../base/json.js";
import type { Proposal, Tool } from "../../../guard/program/program.js";
import { newSession, type Session } from "../../../guard/session/session.js";
import type { Moves } from "../../calls/moves.js";
import type { PackUnderTest } from "../../model/pack-under-test.js";
import { mayBeginStep } from "../../search/further-step.js";
import { type Performed, perform, signalled } from "../../search/search.js";
import { timedIn } from "../../state/clock.js";
import type { Circumstances, PlannedOutcome, Signal } from "../../trace/plan.js";
import { type Crossing, objectsAmong, retyped } from "./crossing-values.js";
import { crossed } from "./edits.js";
import { type Freedom, PackSide } from "./pack-side.js";

/** Two sessions with the same events, one under each pack. */
export interface Pair {
  readonly old: Session;
  readonly new: Session;
}

/** The verdicts of two packs on one call. */
export interface PairVerdict {
  readonly old: Freedom;
  readonly new: Freedom;
}

/** The result of one call under both packs. */
export interface Outcomes {
  readonly pair: Pair;
  readonly old: Performed;
  readonly new: Performed;
}

/** A call as it is proposed to both packs; null for a pack without the tool. */
export interface Candidate {
  readonly tool: string;
  readonly args: JsonObject;
  readonly old: Proposal | null;
  readonly new: Proposal | null;
}

type Suggestion = (moves: Moves, tool: Tool, session: Session) => readonly Proposal[];

const NONE: readonly Proposal[] = [];

function distinct<T>(values: readonly T[]): readonly T[] {
  return [...new Map(values.map((value) => [canonicalJson(value), value])).values()];
}

/** Runs the same sessions under two packs, call by call. */
export class Lockstep {
  readonly old: PackSide;
  readonly new: PackSide;
  readonly tools: readonly string[];
  private readonly keptOutputs = new Map<string, readonly Json[]>();
  private readonly keptLinked = new WeakMap<readonly Candidate[], readonly Candidate[]>();
  private readonly merged = new WeakMap<readonly Proposal[], WeakMap<readonly Proposal[], readonly Candidate[]>>();

  constructor(
    packs: { readonly old: PackUnderTest; readonly new: PackUnderTest },
    names: ReadonlySet<string>,
    readonly circumstances: Circumstances,
    private readonly crossings: readonly Crossing[] = [],
    /** The tool whose rules changed. */
    focus: string | null = null,
  ) {
    this.old = new PackSide(packs.old, names, circumstances, { focus, other: packs.new });
    this.new = new PackSide(packs.new, names, circumstances, { focus, other: packs.old });
    this.tools = [...names];
  }

  begin(): Pair {
    return { old: newSession(this.old.program), new: newSession(this.new.program) };
  }

  /** A call as a proposal to each pack. */
  candidate(tool: string, args: JsonObject): Candidate {
    return { tool, args, old: this.old.proposal(tool, args), new: this.new.proposal(tool, args) };
  }

  /** Calls of a tool that either pack suggests. */
  suggested(tool: string, pair: Pair, of: Suggestion): readonly Candidate[] {
    const [known, knownNow] = [this.old.program.tools.get(tool), this.new.program.tools.get(tool)];
    const before = known === undefined ? NONE : of(this.old.moves, known, pair.old);
    const after = knownNow === undefined ? NONE : of(this.new.moves, knownNow, pair.new);
    const byAfter = this.merged.get(before) ?? new WeakMap<readonly Proposal[], readonly Candidate[]>();
    this.merged.set(before, byAfter);
    const candidates = byAfter.get(after) ?? this.merge(tool, [...before, ...after]);
    byAfter.set(after, candidates);
    return candidates;
  }

  private merge(tool: string, proposals: readonly Proposal[]): readonly Candidate[] {
    return distinct(proposals.map(({ args }) => args)).map((args) => this.candidate(tool, args));
  }

  /** Calls that the guard likely allows, with values that later calls may be judged differently for. */
  likely(tool: string, pair: Pair): readonly Candidate[] {
    const likely = this.suggested(tool, pair, (moves, known, session) => moves.likely(known, session));
    const edits = this.crossings.flatMap(({ linked }) => linked.get(tool) ?? []);
    const [first] = likely;
    if (edits.length === 0 || first === undefined) return likely;
    const known = this.keptLinked.get(likely) ?? [
      ...likely,
      ...objectsAmong(crossed([first.args], edits)).map((args) => this.candidate(tool, args)),
    ];
    this.keptLinked.set(likely, known);
    return known;
  }

  /** Answers of a tool that matter to either pack. */
  outputs(tool: string): readonly Json[] {
    const known = this.keptOutputs.get(tool) ?? this.distinctOutputs(tool);
    this.keptOutputs.set(tool, known);
    return known;
  }

  private distinctOutputs(tool: string): readonly Json[] {
    const own = [this.old, this.new].flatMap(({ program, moves }) => {
      const known = program.tools.get(tool);
      return known === undefined ? [] : moves.outputs(known);
    });
    const edits = this.crossings.flatMap(({ outputs }) => outputs.get(tool) ?? []);
    return distinct([...own, ...crossed(own.slice(0, 1), edits)]);
  }

  /** Calls that changed rules may judge differently, made from fitting calls. */
  crossing(tool: string, fitting: readonly Candidate[]): readonly Candidate[] {
    const all = fitting.map(({ args }) => args);
    const edits = this.crossings.flatMap((crossing) => crossing.arguments);
    const typed = this.crossings.some(({ isTyped }) => isTyped) ? all.flatMap(retyped) : [];
    return distinct([...objectsAmong(crossed(all, edits)), ...typed]).map((args) => this.candidate(tool, args));
  }

  judge(pair: Pair, candidate: Candidate): PairVerdict {
    return {
      old: this.old.freedom(pair.old, candidate.old),
      new: this.new.freedom(pair.new, candidate.new),
    };
  }

  /** Whether both packs allow a call, if need be after an approval. */
  isOpenTo(pair: Pair, candidate: Candidate): boolean {
    const { old, new: current } = this.judge(pair, candidate);
    return old !== "refused" && current !== "refused";
  }

  /** Performs a call that both packs allow. */
  perform(pair: Pair, { old, new: current }: Candidate, outcome: PlannedOutcome): Outcomes | null {
    if (old === null || current === null) return null;
    const before = perform(this.old.program, pair.old, timedIn(pair.old, old), outcome);
    const after = perform(this.new.program, pair.new, timedIn(pair.new, current), outcome);
    return { pair: { old: before.session, new: after.session }, old: before, new: after };
  }

  /** Whether both packs let a further step begin. */
  mayBeginStep(pair: Pair): boolean {
    return mayBeginStep(this.old.program, pair.old) && mayBeginStep(this.new.program, pair.new);
  }

  signal(pair: Pair, action: Signal): Pair {
    return {
      old: signalled(this.old.program, pair.old, action),
      new: signalled(this.new.program, pair.new, action),
    };
  }
}
