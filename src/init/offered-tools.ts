import { isJsonList, isJsonObject, type Json, type JsonObject } from "../base/json.js";
import type { Annotations } from "./guess-side-effect.js";

/** A tool as it is offered. */
export interface OfferedTool {
  readonly name: string;
  readonly annotations: Annotations;
  /** Where its definition has a pattern that no guard can match. */
  readonly unjudged?: readonly string[];
}

function annotationsOf({ annotations }: JsonObject): Annotations {
  if (!isJsonObject(annotations)) return {};
  const { readOnlyHint, destructiveHint } = annotations;
  return {
    ...(typeof readOnlyHint === "boolean" ? { readOnlyHint } : {}),
    ...(typeof destructiveHint === "boolean" ? { destructiveHint } : {}),
  };
}

/** The tools of a file of definitions that was checked before; see `readToolDefinitions` for its shapes. */
export function offeredTools(root: Json): readonly OfferedTool[] {
  const list = isJsonObject(root) ? (root.tools ?? root.tools_schema ?? []) : root;
  if (!isJsonList(list)) return [];
  return list.flatMap((entry) => {
    if (!isJsonObject(entry)) return [];
    const body = isJsonObject(entry.function) ? entry.function : entry;
    return typeof body.name === "string" ? [{ name: body.name, annotations: annotationsOf(entry) }] : [];
  });
}
