import type { ASTNode } from "@marcbachmann/cel-js";
import { isJsonObject, type Json, type JsonObject } from "../../../../src/base/json.js";
import type { Case } from "../generate/case.js";
import { parseExpression } from "../language.js";
import type { Input } from "../scope.js";
import type { Slot } from "../slots.js";
import { printed, textOf } from "./print.js";

/** Short texts that may stand for a part. */
const SIMPLE = ["true", "false", "0", '""', "[]", "null"];

/** Texts of the tree with one part left out, outer parts first. */
function* smallerTexts(node: ASTNode): Generator<string> {
  const { parts, print } = printed(node);
  const texts = parts.map(textOf);
  yield* texts;
  if (parts.length > 0) yield* SIMPLE;
  if (node.op === "list") for (const at of texts.keys()) yield print(texts.filter((_, other) => other !== at));
  for (const [at, part] of parts.entries()) {
    for (const smaller of smallerTexts(part)) yield print(texts.map((text, other) => (other === at ? smaller : text)));
  }
}

function* smallerObjects(object: JsonObject): Generator<JsonObject> {
  for (const name of Object.keys(object)) {
    const { [name]: own, ...others } = object;
    yield others;
    for (const smaller of smallerValues(own ?? null)) yield { ...object, [name]: smaller };
  }
}

function* smallerValues(value: Json): Generator<Json> {
  if (Array.isArray(value)) {
    for (const at of value.keys()) yield value.filter((_, other) => other !== at);
  } else if (isJsonObject(value)) {
    yield* smallerObjects(value);
  }
}

function* smallerSlots(slot: Slot): Generator<Slot> {
  if (slot.kind === "plain") {
    if (slot.held.kind !== "set") return;
    yield { ...slot, held: { kind: "unset" } };
    for (const value of smallerValues(slot.held.value)) yield { ...slot, held: { kind: "set", value } };
    return;
  }
  if (slot.completeness !== "complete") yield { ...slot, completeness: "complete" };
  if (slot.kind === "union") {
    for (const at of slot.values.keys()) yield { ...slot, values: slot.values.filter((_, other) => other !== at) };
    return;
  }
  for (const at of slot.entries.keys()) yield { ...slot, entries: slot.entries.filter((_, other) => other !== at) };
}

function* smallerInputs(input: Input): Generator<Input> {
  for (const args of smallerObjects(input.args)) yield { ...input, args };
  for (const [name, slot] of input.slots) {
    for (const smaller of smallerSlots(slot)) yield { ...input, slots: new Map([...input.slots, [name, smaller]]) };
  }
  if (input.labels.length > 0) yield { ...input, labels: [] };
  if (input.timezone !== null) yield { ...input, timezone: null };
}

function* smallerCases({ text, input }: Case): Generator<Case> {
  const parsed = parseExpression(text);
  if (parsed.kind === "tree") for (const smaller of smallerTexts(parsed.tree)) yield { text: smaller, input };
  for (const smaller of smallerInputs(input)) yield { text, input: smaller };
}

/** Leaves out parts of the text and of the input as long as the case still fails; `tries` bounds the work. */
export function shrink(start: Case, fails: (candidate: Case) => boolean, tries = 5000): Case {
  let [best, left] = [start, tries];
  for (let improved = true; improved && left > 0; ) {
    improved = false;
    for (const candidate of smallerCases(best)) {
      left -= 1;
      if (left <= 0) break;
      // A text that only changes its parentheses or its literals would go on for ever.
      const isSmaller = candidate.text === best.text || candidate.text.length < best.text.length;
      if (!isSmaller || !fails(candidate)) continue;
      [best, improved] = [candidate, true];
      break;
    }
  }
  return best;
}
