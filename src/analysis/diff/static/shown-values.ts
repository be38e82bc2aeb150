import type { RuleBody } from "../../../artifact/pack-rules.js";
import { canonicalJson } from "../../../base/canonical-json.js";
import { show } from "../../../base/wording.js";
import { passingAll } from "../../../domain/of-operator.js";
import { compareDomains, type Only } from "../../../domain/questions.js";
import type { ShownValues } from "../../difference.js";
import { type Atom, atomsOf } from "./entry-strength.js";

/** The one path of all atoms; null where there are several, or none. */
function onePath(atoms: readonly Atom[]): string | null {
  const [first] = atoms;
  const paths = new Set(atoms.map(({ path }) => canonicalJson(path)));
  return first !== undefined && paths.size === 1 ? first.path.text : null;
}

function words(only: Only | null): string | null {
  if (only === null || !only.isSure) return null;
  return only.content === undefined ? "no value" : show(only.content);
}

/** Values that show how two rules on the values at one path differ; null where there are none. */
export function shownValues(before: RuleBody, after: RuleBody): ShownValues | null {
  const [old, current] = [atomsOf(before), atomsOf(after)];
  const path = onePath([...old, ...current]);
  if (path === null || old.length === 0 || current.length === 0) return null;
  const { onlyFirst, onlySecond } = compareDomains(passingAll(current), passingAll(old));
  const [accepted, refused] = [words(onlyFirst), words(onlySecond)];
  return accepted === null && refused === null ? null : { path, accepted, refused };
}
