import { nameHelp } from "../base/suggest.js";
import type { ProposedCall } from "./public.js";

const NAMES: readonly (keyof ProposedCall)[] = ["tool", "args", "callKey", "wrapped"];

/** Calls of `checkResponse` may be proposed as they are: they have the `id` of the model's call too. */
function isKnown(name: string): boolean {
  return name === "tool" || name === "args" || name === "callKey" || name === "id" || name === "wrapped";
}

/** Rejects a call with an unknown member: a misspelt `callKey` would be ignored, and a repeated call made twice. */
export function checkMembers(call: object): void {
  for (const name in call) {
    if (isKnown(name) || !Object.hasOwn(call, name)) continue;
    throw new TypeError(`a proposed call has no ${JSON.stringify(name.slice(0, 40))}; ${nameHelp(name, NAMES)}`);
  }
}
