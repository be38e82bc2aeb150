import { isDeepStrictEqual } from "node:util";
import { type Move, type Operation, type Side, SKIPPED } from "./operation.js";
import { plainState } from "./plain-state.js";
import type { WorkflowPack } from "./reference/model.js";
import { ReferenceSide } from "./reference-side.js";

/** Where both gave different answers. */
export interface Difference {
  readonly at: number;
  readonly what: string;
  readonly reference: unknown;
  readonly real: unknown;
}

export interface Duel {
  readonly operations: number;
  /** What the reference answered, with what it was asked. */
  readonly words: readonly string[];
  readonly difference: Difference | null;
}

/** The guard that was asked read nothing. */
const NOT_DONE: ReadonlySet<string> = new Set([SKIPPED, "TypeError"]);

/** Orders that answers do not tell apart multiply with every move; beyond so many the rest of a trace is left out. */
const MOST_COURSES = 100;

function permutations<T>(items: readonly T[]): readonly (readonly T[])[] {
  if (items.length < 2) return [items];
  return items.flatMap((first) => permutations(items.filter((item) => item !== first)).map((rest) => [first, ...rest]));
}

/** One way in which everything may have happened so far: operations that ran together happened in some order. */
interface Course {
  readonly side: ReferenceSide;
  readonly done: readonly Operation[];
}

/** Both sides of one trace. The reference follows every order that explains the answers. */
class Comparison {
  operations = 0;
  readonly words: string[] = [];
  private courses: readonly Course[];
  /** The answer to the last operation that was alone. */
  private told = "";

  constructor(
    private readonly pack: WorkflowPack,
    private readonly real: Side,
  ) {
    this.courses = [{ side: new ReferenceSide(pack), done: [] }];
  }

  /** Whether following all of its courses would take too long, and too much memory. */
  get isUnclear(): boolean {
    return this.courses.length > MOST_COURSES;
  }

  async compare(at: number, move: Move): Promise<Difference | null> {
    const difference = move.op === "together" ? await this.together(at, move.operations) : await this.one(at, move);
    return difference ?? (await this.state(at, this.processOf(move))) ?? this.glance(at, move);
  }

  /** What was recorded leads to the state that was told last, by snapshots too, and to the same verdicts. */
  async end(at: number): Promise<Difference | null> {
    const rebuilt = await this.real.rebuilt?.();
    if (rebuilt === undefined) return null;
    const { state, replayed, fromSnapshots, problems } = rebuilt;
    if (problems.length > 0) return { at, what: "audit", reference: [], real: problems };
    if (replayed !== fromSnapshots) return { at, what: "snapshot", reference: replayed, real: fromSnapshots };
    const told = plainState(await this.real.state(0));
    const recorded = plainState(state);
    return isDeepStrictEqual(recorded, told) ? null : { at, what: "records", reference: told, real: recorded };
  }

  private processOf(move: Move): number {
    const [last] = move.op === "together" ? move.operations : [move];
    return last?.process ?? 0;
  }

  private async one(at: number, operation: Operation): Promise<Difference | null> {
    this.operations += 1;
    const real = await this.real.perform(operation);
    this.told = real;
    // Before it: a refusal may break the circuit of a session, and that end whoever held something.
    const holders = this.courses.flatMap(({ side }) => side.workflow.state().resources.map(({ session }) => session));
    const answers = this.courses.map(({ side, done }) => {
      const word = side.answer(operation);
      return { word, course: { side, done: [...done, operation] } };
    });
    this.words.push(`${operation.op}: ${answers[0]?.word}`);
    this.courses = answers.filter(({ word }) => word === real).map(({ course }) => course);
    if (this.courses.length > 0) return this.holder(at, operation, { word: real, holders });
    const reference = [...new Set(answers.map(({ word }) => word))].join(" or ");
    return { at, what: operation.op, reference, real };
  }

  /** A conflict names a session that held something. */
  private holder(
    at: number,
    operation: Operation,
    { word, holders }: { readonly word: string; readonly holders: readonly string[] },
  ): Difference | null {
    if (operation.op !== "propose" || word !== "resource_conflict") return null;
    const found = this.real.foundFor?.(operation.call);
    if (found === undefined) return null;
    const isNamed = holders.some((session) => session !== operation.session && found.includes(session));
    return isNamed ? null : { at, what: "holder", reference: holders, real: found };
  }

  private async together(at: number, operations: readonly Operation[]): Promise<Difference | null> {
    this.operations += operations.length;
    const real = await Promise.all(operations.map((operation) => this.real.perform(operation)));
    const all = this.courses.flatMap(({ done }) => permutations(operations).map((order) => this.played(done, order)));
    const words = (answers: ReadonlyMap<Operation, string>) => operations.map((operation) => answers.get(operation));
    // Most orders lead to the same, and then one of them is enough.
    const name = ({ answers, course }: (typeof all)[number]) => `${words(answers)} ${course.side.fingerprint()}`;
    const tried = [...new Map(all.map((one) => [name(one), one])).values()];
    const fitting = tried.filter(({ answers }) => isDeepStrictEqual(words(answers), real));
    this.courses = fitting.map(({ course }) => course);
    this.words.push("together");
    if (fitting.length > 0) return null;
    const reference = [...new Set(tried.map(({ answers }) => words(answers).join(", ")))].join(" or ");
    return { at, what: "together", reference, real: real.join(", ") };
  }

  private played(done: readonly Operation[], order: readonly Operation[]) {
    const side = new ReferenceSide(this.pack);
    for (const operation of done) side.answer(operation);
    const answers = new Map(order.map((operation) => [operation, side.answer(operation)]));
    return { answers, course: { side, done: [...done, ...order] } };
  }

  /** The guard that did something knows all there is, so what it shows can be compared. */
  private async glance(at: number, move: Move): Promise<Difference | null> {
    if (move.op === "together" || NOT_DONE.has(this.told)) return null;
    const real = await this.real.glance(move);
    const shown = this.courses.map((course) => ({ course, glance: course.side.shown(move) }));
    this.courses = shown.filter(({ glance }) => isDeepStrictEqual(glance, real)).map(({ course }) => course);
    if (this.courses.length > 0) return null;
    return { at, what: "glance", reference: shown[0]?.glance, real };
  }

  private async state(at: number, process: number): Promise<Difference | null> {
    const real = plainState(await this.real.state(process));
    const states = this.courses.map((course) => ({ course, state: plainState(course.side.workflow.state()) }));
    this.courses = states.filter(({ state }) => isDeepStrictEqual(state, real)).map(({ course }) => course);
    if (this.courses.length > 0) return null;
    return { at, what: "state", reference: states[0]?.state, real };
  }
}

/** Plays a trace on both sides, and compares every answer, every state and what guards show. */
export async function duel(pack: WorkflowPack, moves: readonly Move[], real: Side): Promise<Duel> {
  const comparison = new Comparison(pack, real);
  for (const [at, move] of moves.entries()) {
    const difference = await comparison.compare(at, move);
    if (difference !== null) return { operations: comparison.operations, words: comparison.words, difference };
    if (comparison.isUnclear) break;
  }
  const difference = await comparison.end(moves.length - 1);
  return { operations: comparison.operations, words: comparison.words, difference };
}
