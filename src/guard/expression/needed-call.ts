import type { CompiledPack } from "../../artifact/compiled.js";
import type { JsonObject } from "../../base/json.js";
import { show } from "../../base/wording.js";
import type { SlotKey } from "./slot-reader.js";

type Bind = CompiledPack["tools"][number]["binds"][number];

/** A call that would set a place in a slot. */
export interface NeededCall {
  readonly tool: string;
  readonly text: string;
  /** The arguments in the text; it may need others too. Null if they are not known as a whole. */
  readonly args: JsonObject | null;
}

/** More tools than this are not named. */
const MOST_TOOLS = 3;

function keyText(key: SlotKey): string {
  return typeof key === "string" && /^[\w.@:-]+$/.test(key) ? key : show(key);
}

interface GivenArgument {
  readonly steps: readonly (string | number)[];
  readonly key: SlotKey;
}

/** The arguments that make a call write under these keys, as far as they are arguments. */
function argumentsOf({ key: parts = [] }: Bind, keys: readonly SlotKey[]): readonly GivenArgument[] {
  return parts.flatMap((part, at) => {
    const key = keys[at];
    if (key === undefined || !("source" in part) || part.source !== "arguments" || part.path.kind !== "definite")
      return [];
    return [{ steps: part.path.steps, key }];
  });
}

/** Arguments as a call gives them; null if some are inside of others, of which nothing more is known. */
function argsWith(given: readonly GivenArgument[]): JsonObject | null {
  const args: [string, SlotKey][] = [];
  for (const { steps, key } of given) {
    const [name, ...inside] = steps;
    if (typeof name !== "string" || inside.length > 0) return null;
    args.push([name, key]);
  }
  return Object.fromEntries(args);
}

/** Which calls would set a place: their tools, and the arguments that would do so, such as `get_user with user_id chen_12`. */
export function neededCalls(slot: string, keys: readonly SlotKey[], { tools }: CompiledPack): readonly NeededCall[] {
  const calls = tools.flatMap(({ name: tool, binds }) => {
    const bind = binds.find((each) => each.slot === slot);
    if (bind === undefined) return [];
    const given = argumentsOf(bind, keys);
    if (given.length === 0) return [{ tool, isSure: false, text: tool, args: null }];
    const texts = given.map(({ steps, key }) => `${steps.join(".")} ${keyText(key)}`);
    return [{ tool, isSure: true, text: `${tool} with ${texts.join(" and ")}`, args: argsWith(given) }];
  });
  // Where some call surely writes there, those that may write elsewhere are no help.
  const sure = calls.filter(({ isSure }) => isSure);
  return (sure.length === 0 ? calls : sure).slice(0, MOST_TOOLS);
}
