import type { CompiledPack } from "../../artifact/compiled.js";
import { show } from "../../base/wording.js";
import type { SlotKey } from "./slot-reader.js";

type Bind = CompiledPack["tools"][number]["binds"][number];

/** The calls that would set a place in a slot. */
export interface NeededCall {
  readonly tools: readonly string[];
  readonly text: string;
}

/** More tools than this are not named. */
const MOST_TOOLS = 3;

function keyText(key: SlotKey): string {
  return typeof key === "string" && /^[\w.@:-]+$/.test(key) ? key : show(key);
}

/** The arguments that make a call write under these keys, as far as they are arguments: `user_id chen_12`. */
function argumentsOf({ key: parts = [] }: Bind, keys: readonly SlotKey[]): readonly string[] {
  return parts.flatMap((part, at) => {
    const key = keys[at];
    if (key === undefined || !("source" in part) || part.source !== "arguments" || part.path.kind !== "definite")
      return [];
    return [`${part.path.steps.join(".")} ${keyText(key)}`];
  });
}

/** Which calls would set a place: their tools, and the arguments that would do so. */
export function neededCall(slot: string, keys: readonly SlotKey[], { tools }: CompiledPack): NeededCall {
  const calls = tools.flatMap(({ name, binds }) => {
    const bind = binds.find((each) => each.slot === slot);
    if (bind === undefined) return [];
    const given = argumentsOf(bind, keys);
    return [
      { name, isSure: given.length > 0, text: given.length === 0 ? name : `${name} with ${given.join(" and ")}` },
    ];
  });
  // Where some call surely writes there, those that may write elsewhere are no help.
  const sure = calls.filter(({ isSure }) => isSure);
  const named = (sure.length === 0 ? calls : sure).slice(0, MOST_TOOLS);
  return { tools: named.map(({ name }) => name), text: named.map(({ text }) => text).join(" or ") };
}
