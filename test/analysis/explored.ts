import { PackUnderTest } from "../../src/analysis/model/pack-under-test.js";
import { explore } from "../../src/analysis/search/exploration.js";
import type { PackRule } from "../../src/artifact/pack-rules.js";
import { compileFolder } from "../../src/compiler/compile-pack.js";
import { withPack } from "../support/pack-text.js";

/** What the explorer finds of a pack. */
export interface Explored {
  /** Whether some call of the tool is allowed. */
  isAllowed(tool: string): boolean;
  /** For which reasons calls of the tool are refused. */
  reasons(tool: string): readonly string[];
  /** How many rules of a kind were seen to act by themselves, out of how many. */
  seen(kind: PackRule["body"]["kind"]): string;
}

/** Explores a pack that is written as one text. */
export function explored(text: string): Explored {
  const { artifact, diagnostics } = withPack(text, (folder) => compileFolder(folder));
  const pack = artifact?.packs[0];
  if (artifact === null || pack === undefined) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  const under = new PackUnderTest(artifact, pack);
  const { findings } = explore(under, { depth: 30, states: 1000 });
  return {
    isAllowed: (tool) => findings.allowedCall(tool) !== null,
    reasons: (tool) => [...findings.reasons(tool).keys()],
    seen: (kind) => {
      const rules = under.rules.all.filter(({ body }) => body.kind === kind);
      return `${rules.filter(({ id }) => findings.rule(id).alone !== null).length} of ${rules.length}`;
    },
  };
}
