import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import type { Json } from "../../base/json.js";
import { AGENT_RESPONSE_SCHEMA } from "./agent-response-schema.js";
import type { Steps } from "./response-path.js";
import { namedType } from "./response-warnings.js";

/** Where a value breaks the schema, what was found and what is expected. */
export interface Breach {
  readonly steps: Steps;
  readonly expected: string;
  readonly found: string;
}

interface Validators {
  readonly message: ValidateFunction;
  readonly metadata: ValidateFunction;
}

let compiled: Validators | undefined;

/** Compiled at the first reply: an agent's start should not wait for it. */
function validators(): Validators {
  if (compiled !== undefined) return compiled;
  const ajv = new Ajv2020({ strict: false, validateSchema: false, verbose: true });
  ajv.addSchema(AGENT_RESPONSE_SCHEMA);
  const part = (pointer: string) => ajv.compile({ $ref: `${AGENT_RESPONSE_SCHEMA.$id}#${pointer}` });
  compiled = { message: part("/$defs/Message"), metadata: part("/properties/metadata") };
  return compiled;
}

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
  return firstBreach(validators().message, message);
}

/** The first place where metadata breaks the schema. */
export function metadataBreach(metadata: Json): Breach | null {
  return firstBreach(validators().metadata, metadata);
}
