import type { CompiledCheck, CompiledKey, CompiledSlot, CompiledTool } from "../../artifact/compiled.js";
import type { SessionContract } from "../../language/schema/session.js";
import type { Bind, BindKey, ToolContract, Unbind } from "../../language/schema/tool.js";
import { formOf } from "../slot-forms.js";
import { lowerPath, nothingLeft, placeIn } from "./lower-value.js";

type CompiledBind = CompiledTool["binds"][number];
type CompiledUnbind = NonNullable<CompiledTool["unbinds"]>[number];

function lowerKey(key: BindKey, own: Bind["source"]): CompiledKey {
  if (typeof key !== "string") return { source: key.source, path: lowerPath(key.path) };
  if (key.startsWith("@")) return { match: lowerPath(`$${key.slice(1)}`) };
  return { source: own ?? "arguments", path: lowerPath(key) };
}

function keysOf(entry: Bind | Unbind, own: Bind["source"]): readonly CompiledKey[] {
  const { key } = entry;
  if (key === undefined) return [];
  return (Array.isArray(key) ? key : [key]).map((part) => lowerKey(part, own));
}

function lowerBind(bind: Bind): CompiledBind {
  const { name: slot, source = "arguments", path, key: _, collect, decode, ...rest } = bind;
  nothingLeft(rest);
  const key = keysOf(bind, source);
  return {
    at: placeIn(bind),
    slot,
    source,
    path: lowerPath(path),
    ...(key.length === 0 ? {} : { key }),
    ...(collect === undefined ? {} : { collect }),
    ...(decode === undefined ? {} : { decode }),
  };
}

function lowerUnbind(unbind: Unbind): CompiledUnbind {
  const { name: slot, key: _, ...rest } = unbind;
  nothingLeft(rest);
  return { at: placeIn(unbind), slot, key: keysOf(unbind, "arguments") };
}

/** What calls of a tool bind and unbind. */
export function lowerBinds({ binds, unbinds = [] }: ToolContract): Pick<CompiledTool, "binds" | "unbinds"> {
  const lowered = (binds ?? []).map(lowerBind);
  return unbinds.length === 0 ? { binds: lowered } : { binds: lowered, unbinds: unbinds.map(lowerUnbind) };
}

/** Keys of the arguments that must be there when the call is proposed. */
function keyCaptures({ at, key = [] }: Pick<CompiledBind, "at" | "key">): readonly CompiledCheck[] {
  return key.flatMap((part): CompiledCheck[] =>
    "source" in part && part.source === "arguments" ? [{ kind: "capture", at, path: part.path, as: "key" }] : [],
  );
}

/** What a bind needs of the arguments: its value, and the keys of each match. */
function valueCaptures({ at, source, path, key = [], collect, decode }: CompiledBind): readonly CompiledCheck[] {
  if (source === "output") return [];
  const decoded = decode === undefined ? {} : { decode };
  const each = key.flatMap((part) => ("match" in part ? [part.match] : []));
  const checks: CompiledCheck[] = [];
  // A union takes what is there, and so do the keys of several matches.
  if (collect === undefined && path.kind === "definite") checks.push({ kind: "capture", at, path, ...decoded });
  else if (each.length === 0 && decode !== undefined) checks.push({ kind: "capture", at, path, each, ...decoded });
  if (each.length > 0) checks.push({ kind: "capture", at, path, each, ...decoded });
  return checks;
}

/** Refuse a call whose arguments lack what it would bind, or the keys of it. */
export function bindCaptures(contract: ToolContract): readonly CompiledCheck[] {
  const { binds, unbinds = [] } = lowerBinds(contract);
  return [
    ...binds.flatMap((bind) => [...valueCaptures(bind), ...keyCaptures(bind)]),
    ...unbinds.flatMap(({ at, key }) => keyCaptures({ at, key })),
  ];
}

/** Every slot of a pack, if one of them is not plain. */
export function lowerSlots(
  session: SessionContract | null,
  contracts: readonly ToolContract[],
): readonly CompiledSlot[] | undefined {
  const limits = new Map(Object.entries(session?.slot_limits ?? {}));
  const slots = new Map<string, CompiledSlot>();
  for (const bind of contracts.flatMap(({ binds = [] }) => binds)) {
    slots.set(bind.name, { name: bind.name, ...formOf(bind), limit: limits.get(bind.name) ?? null });
  }
  const sorted = [...slots.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  return sorted.every(({ kind }) => kind === "plain") ? undefined : sorted;
}
