import { nameHelp } from "../base/suggest.js";
import type { ProposedCall } from "./public.js";

const NAMES: readonly (keyof ProposedCall)[] = ["tool", "args", "callKey", "wrapped"];

/** Calls of `checkResponse` may be proposed as they are: they have the `id` of the model's call too. */
function isKnown(name: string): boolean {
  return name === "tool" || name === "args" || name === "callKey" || name === "id" || name === "wrapped";
}

/** Rejects what is not there at all; of anything else the name of the tool is refused. */
export function checkPresent(call: unknown): void {
  if (call === undefined || call === null) throw new TypeError("a proposed call is an object with `tool` and `args`");
}

/** Rejects a call with an unknown member: a misspelt `callKey` would be ignored, and a repeated call made twice. */
export function checkMembers(call: ProposedCall): void {
  checkPresent(call);
  for (const name in call) {
    if (isKnown(name) || !Object.hasOwn(call, name)) continue;
    throw new TypeError(`a proposed call has no ${JSON.stringify(name.slice(0, 40))}; ${nameHelp(name, NAMES)}`);
  }
}

/** Whether a wrapped call is to send it. Any other value would be taken for no, and its approval go to the wrong caller. */
export function checkedWrapped(wrapped: unknown): boolean {
  if (wrapped === undefined || typeof wrapped === "boolean") return wrapped === true;
  throw new TypeError("`wrapped` of a proposed call must be true, or left out");
}
