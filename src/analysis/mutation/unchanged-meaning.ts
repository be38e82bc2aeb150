import type { Artifact } from "../../artifact/compiled.js";
import { type PackRule, PackRules } from "../../artifact/pack-rules.js";
import { diffPacks } from "../diff/diff-packs.js";
import { isCovered } from "../diff/static/rule-strength.js";
import { Prover } from "../proof/prover.js";
import type { Mutant } from "./mutants.js";

/** A precondition for the same entity refuses a call that does not name one. */
function isNamedForPrior({ body: lost }: PackRule, rules: readonly PackRule[]): boolean {
  if (lost.kind !== "capture") return false;
  return rules.some(({ body }) => body.kind === "precondition" && body.prior?.resource?.text === lost.path.text);
}

/** Whether the rules of a mutant refuse, for each tool, what it seems to allow in addition. */
function isRefusedStill({ artifact, pack: index, rule, lost }: Mutant, { packs }: Artifact): boolean {
  const [before, after] = [packs[index], artifact.packs[index]];
  if (before === undefined || after === undefined || rule.body.kind === "circuit_breaker") return false;
  const rules = new PackRules(after);
  const gone = { ...rule, body: lost };
  return rule.tools.every((tool) => {
    const own = rules.ofTool(tool);
    return isCovered(gone, own, { before, after, tool }) || isNamedForPrior(gone, own);
  });
}

/** Says of a mutant that no session can show the difference, where that is proved. */
export class MeaningKept {
  private readonly provers = new Map<number, Prover>();

  constructor(private readonly artifact: Artifact) {}

  /** Why no test can notice the mutant; null if that is not proved. */
  async proofFor(mutant: Mutant): Promise<"redundant" | "same" | null> {
    const { artifact, pack: index, rule, body } = mutant;
    const isRedundant = (this.proverOf(index)?.cannotFire(rule) ?? null) !== null;
    if (isRedundant || isRefusedStill(mutant, this.artifact))
      return isRedundant || body === null ? "redundant" : "same";
    const read = await diffPacks(this.artifact, artifact, { bounds: null, wording: ({ id }) => id });
    return read.every(({ changes }) => changes.every(({ direction }) => direction === "same")) ? "same" : null;
  }

  private proverOf(index: number): Prover | undefined {
    const pack = this.artifact.packs[index];
    const known = this.provers.get(index);
    if (known !== undefined || pack === undefined) return known;
    const prover = new Prover(pack, new PackRules(pack));
    this.provers.set(index, prover);
    return prover;
  }
}
