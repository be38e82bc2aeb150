import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../base/json.js";
import { UnreadableTrace } from "../traced-session.js";

/** An own member of an object, null and absent alike: logs write either where there is nothing. */
export function given(object: JsonObject, name: string): Json | undefined {
  const value = Object.hasOwn(object, name) ? object[name] : undefined;
  return value === null ? undefined : value;
}

/** An error of a call, if it is one: logs write false or an empty text where there is none. */
export function errorIn(value: Json | undefined): Json | undefined {
  return value === false || value === "" ? undefined : value;
}

export function objectAt(value: Json | undefined, where: string): JsonObject {
  if (isJsonObject(value)) return value;
  throw new UnreadableTrace(`${where} is no object`);
}

export function listAt(value: Json | undefined, where: string): readonly Json[] {
  if (isJsonList(value)) return value;
  throw new UnreadableTrace(`${where} is no list`);
}

export function textAt(value: Json | undefined, where: string): string {
  if (typeof value === "string" && value !== "") return value;
  throw new UnreadableTrace(`${where} is no text`);
}

/** The arguments of a call; under another name they would be left out in silence. */
export function argumentsIn(call: JsonObject, where: string): Json | undefined {
  const args = given(call, "arguments");
  if (args !== undefined) return args;
  const other = ["args", "input", "parameters"].find((name) => given(call, name) !== undefined);
  if (other === undefined) return undefined;
  throw new UnreadableTrace(`${where}.${other} is not read: the arguments of a call are in \`arguments\``);
}

/** Arguments, or what the text there says as JSON. A text that is not JSON is kept: the guard refuses it as arguments. */
export function decodedArguments(value: Json | undefined): Json {
  if (value === undefined) return {};
  if (typeof value !== "string") return value;
  if (value.trim() === "") return {};
  try {
    return JSON.parse(value) as Json;
  } catch {
    return value;
  }
}

/** Texts that hold an object or a list are what the tool returned; any other text was returned as it is. */
export function decodedOutput(value: Json): Json {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.parse(value) as Json;
  } catch {
    return value;
  }
}
