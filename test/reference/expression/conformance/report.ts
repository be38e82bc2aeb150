import { DEVIATIONS, OPERANDS_OUTSIDE } from "./classes.js";
import { type Evaluate, runCase } from "./run.js";
import { conformanceCases } from "./suite.js";

/** What became of all cases of the suite. */
export interface Report {
  readonly cases: number;
  readonly agreed: number;
  /** Cases that differ by design, for each class. */
  readonly deviating: ReadonlyMap<string, number>;
  /** Cases that the language cannot say, for each reason. */
  readonly outside: ReadonlyMap<string, number>;
  /** Cases that differ and have no class, in words. */
  readonly unclassified: readonly string[];
  /** Cases that have a class of differing and agree. */
  readonly misclassified: readonly string[];
}

function classOf(classes: Readonly<Record<string, readonly string[]>>, id: string): string | undefined {
  return Object.keys(classes).find((name) => classes[name]?.includes(id));
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

/** Runs every case of the public suite through an evaluator. */
export function report(evaluate: Evaluate): Report {
  const cases = conformanceCases();
  const [deviating, outside] = [new Map<string, number>(), new Map<string, number>()];
  const [unclassified, misclassified]: [string[], string[]] = [[], []];
  let agreed = 0;
  for (const one of cases) {
    const result = runCase(one, evaluate);
    const [byDesign, beyond] = [classOf(DEVIATIONS, one.id), classOf(OPERANDS_OUTSIDE, one.id)];
    const isListed = byDesign !== undefined || beyond !== undefined;
    if (result.kind !== "deviating" && isListed) misclassified.push(one.id);
    else if (result.kind === "agreed") agreed += 1;
    else if (result.kind === "outside") count(outside, result.why);
    else if (byDesign !== undefined) count(deviating, byDesign);
    else if (beyond !== undefined && (result.got === "unjudgeable" || result.got === "refused")) count(outside, beyond);
    else unclassified.push(`${one.id}: ${one.text}: wanted ${result.wanted}, got ${result.got}`);
  }
  return { cases: cases.length, agreed, deviating, outside, unclassified, misclassified };
}
