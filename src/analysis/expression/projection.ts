import type { CompiledTool } from "../../artifact/compiled.js";
import { canonicalJson } from "../../base/canonical-json.js";
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../base/json.js";
import type { JsonPath } from "../../base/json-path.js";
import type { SlotKey } from "../../guard/expression/slot-reader.js";
import { putValue } from "../values/edit-value.js";
import { stepsOf } from "../values/path-values.js";
import { entriesOf, type Scene } from "./scene.js";

type Bind = CompiledTool["binds"][number];

/** A call that leaves the slots as a scene has them. */
export interface Projected {
  readonly args: JsonObject;
  readonly output: Json;
}

/** One value that a call binds, with the keys it is bound under. */
interface Binding {
  readonly bind: Bind;
  readonly value: Json;
  readonly keys: readonly SlotKey[];
}

function objectOf(value: Json): JsonObject {
  return isJsonObject(value) ? value : {};
}

function written(call: Projected, source: Bind["source"], path: JsonPath, value: Json): Projected {
  if (source === "output") return { ...call, output: putValue(call.output, path, value) };
  return { ...call, args: objectOf(putValue(call.args, path, value)) };
}

function bound(call: Projected, { bind, value, keys }: Binding): Projected {
  const parts = (bind.key ?? []).map((key, at) => ({ key, name: keys[at] ?? null }));
  // The value goes first, because its own place may hold the key.
  const matched = parts.reduce((own, { key, name }) => ("match" in key ? putValue(own, key.match, name) : own), value);
  const text = bind.decode === "json" ? JSON.stringify(matched) : matched;
  const whole = written(call, bind.source, bind.path, text);
  return parts.reduce(
    (changed, { key, name }) => ("match" in key ? changed : written(changed, key.source, key.path, name)),
    whole,
  );
}

/** The bindings of one call that a scene has; one list for each entry of a keyed slot or a union. */
function bindingsOf(tool: CompiledTool, { slots }: Scene): readonly (readonly Binding[])[] {
  const plain: Binding[] = [];
  const several: Binding[] = [];
  for (const bind of tool.binds) {
    const content = slots[bind.slot];
    if (content === undefined) continue;
    if (bind.collect === "union")
      for (const value of isJsonList(content) ? content : []) several.push({ bind, value, keys: [] });
    else if (bind.key === undefined) plain.push({ bind, value: content, keys: [] });
    else for (const { key, value } of entriesOf(content)) several.push({ bind, value, keys: key });
  }
  if (several.length === 0) return plain.length === 0 ? [] : [plain];
  return several.map((one) => [one, ...plain]);
}

/** Calls of a tool that bind what a scene has in its slots. */
export function projectedCalls(tool: CompiledTool, scene: Scene, plain: Projected): readonly Projected[] {
  const calls = bindingsOf(tool, scene).map((bindings) => {
    // Outermost first, so that a whole value does not undo others inside it.
    const sorted = [...bindings].sort((a, b) => stepsOf(a.bind.path).length - stepsOf(b.bind.path).length);
    return sorted.reduce(bound, plain);
  });
  return [...new Map(calls.map((call) => [canonicalJson([call.args, call.output]), call])).values()];
}
