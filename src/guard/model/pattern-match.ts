import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../base/json.js";
import { type PatternTerm, parseProviderPattern } from "../../base/provider-pattern.js";
import { show } from "../../base/wording.js";
import { member } from "./body.js";

const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE]-?[0-9]+)?$/;
const INDEX = /^(?:0|[1-9][0-9]*)$/;
const DATE =
  /-(?:[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])|[0-9]{4}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01]))(?![0-9])/;
/** The version that may follow the name of a model in a pattern. */
const VERSION = /^-(?:[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{8}|latest)$/;
const LATEST = /(?<![A-Za-z0-9])latest(?![A-Za-z0-9])/;

/** Tests one term; returns in words what matched, or null. */
type TermTest = (request: JsonObject) => string | null;

/** A pattern, prepared to be matched with requests. */
export interface RequestPattern {
  readonly text: string;
  /** What matched, term by term; null if not all terms did. */
  readonly matched: (request: JsonObject) => readonly string[] | null;
}

/** The name of the model that a request is for; null if it names none. */
export function modelOf(request: JsonObject): string | null {
  const model = member(request, "model");
  return typeof model === "string" ? model : null;
}

function valueAt(root: JsonObject, path: readonly string[]): Json | undefined {
  let value: Json | undefined = root;
  for (const name of path) {
    if (isJsonObject(value)) value = member(value, name);
    else if (isJsonList(value) && INDEX.test(name)) value = value[Number(name)];
    else return undefined;
  }
  return value;
}

/** A word for a boolean, null or a number matches that value and the same text. */
function wordTest(word: string): (value: Json | undefined) => boolean {
  if (word === "true" || word === "false") return (value) => value === word || value === (word === "true");
  if (word === "null") return (value) => value === null || value === word;
  if (NUMBER.test(word)) return (value) => value === word || value === Number(word);
  return (value) => value === word;
}

/** A field is in use unless its value says that it is not. */
function isUsed(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === false) return false;
  return !(isJsonObject(value) && member(value, "type") === "disabled" && Object.keys(value).length === 1);
}

function isModel(model: string, term: string): boolean {
  return model === term || (model.startsWith(term) && VERSION.test(model.slice(term.length)));
}

function termTest(term: PatternTerm): TermTest {
  if (term.kind === "value") {
    const fits = wordTest(term.word);
    return (request) => (fits(valueAt(request, term.path)) ? `${term.path.join(".")} is ${term.word}` : null);
  }
  return (request) => {
    // The value itself is not shown: it may be the whole conversation.
    if (isUsed(member(request, term.text))) return `${term.text} is set`;
    const model = modelOf(request);
    return model !== null && isModel(model, term.text) ? `the model is ${show(model)}` : null;
  };
}

/** Prepares a pattern; all patterns of an artifact can be parsed. */
export function requestPattern(text: string): RequestPattern {
  const parsed = parseProviderPattern(text);
  const tests = parsed.ok ? parsed.terms.map(termTest) : [];
  return {
    text,
    matched(request) {
      const found: string[] = [];
      for (const test of tests) {
        const one = test(request);
        if (one === null) return null;
        found.push(one);
      }
      return found;
    },
  };
}

/** Whether a name means the newest version of a model. */
export function isFloating(model: string): boolean {
  return LATEST.test(model) || !DATE.test(model);
}
