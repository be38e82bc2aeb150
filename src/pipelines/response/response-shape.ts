import type { ErrorObject, ValidateFunction } from "ajv";
import type { Json } from "../../base/json.js";
import type { Steps } from "./response-path.js";
import { messageValidator, metadataValidator } from "./response-validators.js";
import { namedType } from "./response-warnings.js";

/** Where a value breaks the schema, what was found and what is expected. */
export interface Breach {
  readonly steps: Steps;
  readonly expected: string;
  readonly found: string;
}

const validateMessage = messageValidator();
const validateMetadata = metadataValidator();

/** What the schema expects, by the place in a message; indices are written `*`. */
const EXPECTED: ReadonlyMap<string, string> = new Map([
  ["role", "`system`, `user`, `assistant` or `tool`"],
  ["content", "a string, a list or null"],
  ["tool_call_id", "a string"],
  ["tool_calls", "a list"],
  ["tool_calls.*.id", "a string"],
  ["thinking", "a list of objects"],
]);

function stepsOf({ instancePath, keyword, params }: ErrorObject): Steps {
  const steps = instancePath
    .split("/")
    .slice(1)
    .map((part) => (/^[0-9]+$/.test(part) ? Number(part) : part));
  return keyword === "required" ? [...steps, String(params.missingProperty)] : steps;
}

function breachOf(error: ErrorObject): Breach {
  const steps = stepsOf(error);
  const place = steps.map((step) => (typeof step === "number" ? "*" : step)).join(".");
  const expected = EXPECTED.get(place) ?? "an object";
  if (error.keyword === "required") return { steps, expected, found: "nothing" };
  return { steps, expected, found: error.keyword === "enum" ? "another string" : namedType(error.data) };
}

function firstBreach(validate: ValidateFunction, value: Json): Breach | null {
  if (validate(value)) return null;
  // Of the branches of a union, the one that got furthest was probably meant.
  const [innermost] = (validate.errors ?? []).toSorted((a, b) => b.instancePath.length - a.instancePath.length);
  return innermost === undefined ? null : breachOf(innermost);
}

/** The first place where a message breaks the schema. */
export function messageBreach(message: Json): Breach | null {
  return firstBreach(validateMessage, message);
}

/** The first place where metadata breaks the schema. */
export function metadataBreach(metadata: Json): Breach | null {
  return firstBreach(validateMetadata, metadata);
}
