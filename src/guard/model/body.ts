import { isJsonObject, type Json, type JsonObject } from "../../base/json.js";
import { type PlainJson, parsedJson, plainJson } from "../values/plain-json.js";
import type { ModelProvider } from "./public.js";

/** Thrown and caught in this folder: what was required to read a response, and what was found. */
export class Unreadable extends Error {
  constructor(
    readonly required: string,
    readonly found: string,
  ) {
    super(found);
  }
}

/** An own member of an object; properties of its prototype are not part of a body. */
export function member(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** The argument of a caller; anything but an object is a bug that must be reported. */
export function membersOf<T extends object>(given: T): T {
  if (typeof given === "object" && given !== null) return given;
  throw new TypeError("give an object with `provider` and the body to be judged");
}

/** Checks the name of a provider. */
export function providerOf(given: unknown): ModelProvider {
  if (given === "openai" || given === "anthropic") return given;
  throw new TypeError("`provider` must be openai or anthropic");
}

/** A body, copied unless it is as `JSON.parse` made it. */
function plainBody(given: unknown, isParsed: boolean): PlainJson {
  // Whoever says so vouches for it.
  return isParsed ? parsedJson(given as Json) : plainJson(given);
}

/** The body of a request; anything else is a bug of the caller that must be reported. */
export function requestBody(given: unknown, isParsed: boolean): JsonObject {
  const plain = plainBody(given, isParsed);
  if (!plain.ok)
    throw new TypeError(`\`request\` must be the body of a request as JSON has it; this one holds ${plain.what}`);
  if (!isJsonObject(plain.value)) throw new TypeError("`request` must be the body of a request: a JSON object");
  const model = member(plain.value, "model");
  if (model !== undefined && model !== null && typeof model !== "string") {
    throw new TypeError("`model` of a request must be the name of a model");
  }
  return plain.value;
}

/** The body of a response. */
export function responseBody(given: unknown, isParsed: boolean): JsonObject {
  const plain = plainBody(given, isParsed);
  if (!plain.ok) throw new Unreadable("the body of a response, a JSON object", plain.what);
  if (!isJsonObject(plain.value)) throw new Unreadable("the body of a response, a JSON object", "another JSON value");
  return plain.value;
}

/** A part of a response that must be an object. */
export function objectAt(value: Json | undefined, where: string): JsonObject {
  if (isJsonObject(value)) return value;
  throw new Unreadable(`an object in ${where}`, value === undefined ? "nothing" : "something else");
}

/** A part of a response that must be a text with at least one character. */
export function textAt(value: Json | undefined, where: string): string {
  if (typeof value === "string" && value !== "") return value;
  throw new Unreadable(`a text in ${where}`, value === undefined ? "nothing" : "something else");
}

/** Why the model stopped. With null the response is not finished. */
export function finishOf(value: Json | undefined, where: string): string | null {
  if (value === undefined) return null;
  if (value === null) throw new Unreadable("a response that is finished", `null in ${where}`);
  return textAt(value, where);
}

/** The arguments of a call, copied: what cannot be copied could not be judged either. */
export function argumentsOf(value: unknown, where: string): JsonObject {
  return objectOf(plainJson(value), where);
}

function objectOf(plain: PlainJson, where: string): JsonObject {
  if (plain.ok && isJsonObject(plain.value)) return plain.value;
  throw new Unreadable(`a JSON object in ${where}`, plain.ok ? "another JSON value" : plain.what);
}

/** The arguments of a call, parsed from a text. */
export function parsedArguments(value: Json | undefined, where: string): JsonObject {
  const text = textAt(value, where);
  let parsed: Json;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new Unreadable(`a JSON object in ${where}`, "a text that is not JSON");
  }
  return objectOf(parsedJson(parsed), where);
}
