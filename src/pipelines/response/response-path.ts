import { clean } from "../../base/clean.js";
import { jsonPath, type Selector } from "../../base/json-path.js";

/** Keys and indices from the root of a reply, outermost first. */
export type Steps = readonly (string | number)[];

const LONGEST_NAME = 60;

/** A key of a foreign object, short and without control characters. */
function safeName(name: string): string {
  const cut = name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name;
  return clean(cut);
}

function selectorOf(step: string | number): Selector {
  return typeof step === "number" ? { kind: "index", index: step } : { kind: "name", name: safeName(step) };
}

/** The place as a JSON path: `$.messages[2].role`. */
export function responsePath(steps: Steps): string {
  return jsonPath(steps.map((step) => ({ descend: false, selectors: [selectorOf(step)] }))).text;
}
