import type { Difference } from "../../analysis/difference.js";
import type { RuleResult, Verification } from "../../analysis/verification.js";
import type { CompiledPack } from "../../artifact/compiled.js";
import { type PackRule, PackRules } from "../../artifact/pack-rules.js";
import { type PackModel, packModel } from "../model.js";
import type { PackCoverage } from "../pack-count.js";
import type { ReportContent, Suppressed } from "../report-content.js";
import type { TraceBook } from "./trace-book.js";

/** One pack with everything that the page shows about it. */
export interface PackView {
  /** Its index among the packs of the page, for links. */
  readonly index: number;
  readonly pack: CompiledPack;
  readonly model: PackModel;
  readonly rules: PackRules;
  /** By the name of the tool or phase; elements are identified by numbers, because names may be any text. */
  readonly toolIndex: ReadonlyMap<string, number>;
  readonly phaseIndex: ReadonlyMap<string, number>;
  /** Null if the pack was not verified. */
  readonly verification: Verification | null;
  readonly suppressed: Suppressed;
  readonly results: ReadonlyMap<string, RuleResult>;
  readonly difference: Difference | null;
  readonly coverage: PackCoverage | null;
  readonly sources: string | null;
  readonly traces: TraceBook;
}

const NOTHING: Suppressed = { rules: [], tools: [], isStuckMeant: false };

function numbered(names: readonly string[]): ReadonlyMap<string, number> {
  return new Map(names.map((name, index) => [name, index]));
}

/** The packs of an artifact that have a tool, as the page shows them. */
export function packViews(content: ReportContent, traces: TraceBook): readonly PackView[] {
  const { artifact, verifications, suppressed, difference, coverage, sources } = content;
  return artifact.packs
    .map((pack, at) => ({ pack, at }))
    .filter(({ pack }) => pack.tools.length > 0)
    .map(({ pack, at }, index) => {
      const model = packModel(pack);
      const verification = verifications[at] ?? null;
      return {
        index,
        pack,
        model,
        rules: new PackRules(pack),
        toolIndex: numbered(model.tools.map(({ name }) => name)),
        phaseIndex: numbered(model.phases.map(({ name }) => name)),
        verification,
        suppressed: suppressed[at] ?? NOTHING,
        results: new Map(verification?.rules.map((result) => [result.rule, result])),
        difference: difference[at] ?? null,
        coverage: coverage?.packs[at] ?? null,
        sources,
        traces,
      };
    });
}

/** The rules that apply to every tool of the pack; with several tools they are shown once. */
export function commonRules({ rules, model }: PackView): readonly PackRule[] {
  return model.tools.length < 2 ? [] : rules.all.filter(({ tools }) => tools.length === model.tools.length);
}
