import { isJsonObject, type Json, type JsonObject } from "../../base/json.js";
import { plainJson } from "../values/plain-json.js";
import type { ModelProvider } from "./public.js";

/** Thrown inside, and caught where a response enters: what it would have needed to be read, and what it has. */
export class Unreadable extends Error {
  constructor(
    readonly required: string,
    readonly found: string,
  ) {
    super(found);
  }
}

/** A member that the object itself has; what somebody put on a prototype is no part of a body. */
export function member(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** What a caller asks about; a call without it is a bug to be told of. */
export function membersOf<T extends object>(given: T): T {
  if (typeof given === "object" && given !== null) return given;
  throw new TypeError("give an object with `provider` and the body to be judged");
}

/** The provider, if it is one. */
export function providerOf(given: unknown): ModelProvider {
  if (given === "openai" || given === "anthropic") return given;
  throw new TypeError("`provider` is openai or anthropic");
}

/** The body of a request, copied; whoever sends one that is none has a bug to be told of. */
export function requestBody(given: unknown): JsonObject {
  const plain = plainJson(given);
  if (!plain.ok)
    throw new TypeError(`\`request\` is the body of a request as JSON has it; this one holds ${plain.what}`);
  if (!isJsonObject(plain.value)) throw new TypeError("`request` is the body of a request: a JSON object");
  const model = member(plain.value, "model");
  if (model !== undefined && model !== null && typeof model !== "string") {
    throw new TypeError("`model` of a request is the name of a model");
  }
  return plain.value;
}

/** The body of a response, copied. */
export function responseBody(given: unknown): JsonObject {
  const plain = plainJson(given);
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

/** Why the model stopped. A response that says null is not finished. */
export function finishOf(value: Json | undefined, where: string): string | null {
  if (value === undefined) return null;
  if (value === null) throw new Unreadable("a response that is finished", `null in ${where}`);
  return textAt(value, where);
}

/** The arguments of a call, copied: what the copy refuses could not be judged either. */
export function argumentsOf(value: unknown, where: string): JsonObject {
  const plain = plainJson(value);
  if (plain.ok && isJsonObject(plain.value)) return plain.value;
  throw new Unreadable(`a JSON object in ${where}`, plain.ok ? "another JSON value" : plain.what);
}

/** The arguments of a call that come as a text. */
export function parsedArguments(value: Json | undefined, where: string): JsonObject {
  const text = textAt(value, where);
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new Unreadable(`a JSON object in ${where}`, "a text that is not JSON");
  }
  return argumentsOf(parsed, where);
}
