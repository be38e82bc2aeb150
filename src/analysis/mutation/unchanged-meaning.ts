import type { Artifact } from "../../artifact/compiled.js";
import { type PackRule, PackRules } from "../../artifact/pack-rules.js";
import { diffPacks } from "../diff/diff-packs.js";
import { isCovered } from "../diff/static/rule-strength.js";
import { Prover } from "../proof/prover.js";
import type { Mutant } from "./mutants.js";
import { replaceRule } from "./replace-rule.js";

/** Whether other rules of each of its tools refuse everything that a rule refuses. */
function isRefusedByOthers(rule: PackRule, { packs }: Artifact, index: number): boolean {
  const before = packs[index];
  if (before === undefined || rule.body.kind === "circuit_breaker") return false;
  const after = replaceRule(before, rule, null);
  const rules = new PackRules(after);
  return rule.tools.every((tool) => isCovered(rule, rules.ofTool(tool), { before, after, tool }));
}

/** Says of a mutant that no session can show the difference, where that is proved. */
export class MeaningKept {
  private readonly provers = new Map<number, Prover>();

  constructor(private readonly artifact: Artifact) {}

  /** Why no test can notice the mutant; null if that is not proved. */
  async proofFor({ artifact, pack: index, rule }: Mutant): Promise<"redundant" | "same" | null> {
    if (this.proverOf(index)?.cannotFire(rule) != null) return "redundant";
    if (isRefusedByOthers(rule, this.artifact, index)) return "redundant";
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
