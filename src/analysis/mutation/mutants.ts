import type { Artifact, CompiledPack } from "../../artifact/compiled.js";
import { seal } from "../../artifact/encode.js";
import { isOfModel, type PackRule, PackRules, type RuleBody } from "../../artifact/pack-rules.js";
import { replaceRule } from "./replace-rule.js";
import { type WeakerRule, weakerRules } from "./weaker-rules.js";

/** An artifact with one rule of one pack dropped or weakened. */
export interface Mutant {
  readonly artifact: Artifact;
  /** The index of the pack. */
  readonly pack: number;
  readonly rule: PackRule;
  /** The weaker form; null if the rule is dropped. */
  readonly body: RuleBody | null;
  /** What was changed, where the rule in words does not show it. */
  readonly what: string | null;
  /** A rule that refuses all that the mutant allows in addition. */
  readonly lost: RuleBody;
}

function withPack(artifact: Artifact, index: number, pack: CompiledPack): Artifact {
  const { format, language, workflow } = artifact;
  const packs = artifact.packs.map((old, at) => (at === index ? pack : old));
  return seal({ format, language, packs, workflow });
}

/** Every rule on calls of every pack, dropped and weakened in turn. */
export function mutantsOf(artifact: Artifact): readonly Mutant[] {
  return artifact.packs.flatMap((pack, index) =>
    new PackRules(pack).all
      // The root of a workflow may have no tools; no call is judged under it.
      .filter(({ body, tools }) => tools.length > 0 && !isOfModel(body))
      .flatMap((rule) => {
        const forms: readonly Partial<WeakerRule>[] = [{}, ...weakerRules(rule.body, pack)];
        return forms.map(({ body = null, what = null, lost = rule.body }): Mutant => {
          const mutated = withPack(artifact, index, replaceRule(pack, rule, body));
          return { artifact: mutated, pack: index, rule, body, what, lost };
        });
      }),
  );
}
