import type { CompiledPack } from "../../artifact/compiled.js";
import type { JudgedExpression } from "../../artifact/expression.js";
import type { JsonObject } from "../../base/json.js";
import { isWhole } from "../../base/json-path.js";
import { type ExpressionContext, type Prepared, prepareExpression } from "./evaluate.js";

const NO_CONSTANTS: JsonObject = Object.freeze({});
const contexts = new WeakMap<CompiledPack, ExpressionContext>();

function contextOf(pack: CompiledPack): ExpressionContext {
  const known = contexts.get(pack);
  if (known !== undefined) return known;
  const { constants = NO_CONSTANTS, timezone = null, slots = [] } = pack;
  const binds = pack.tools.flatMap((tool) => tool.binds);
  const whole = binds.filter(({ source, path }) => source === "arguments" && isWhole(path)).map(({ slot }) => slot);
  const shapes = new Map(slots.map((slot) => [slot.name, slot]));
  const context = { constants, timezone, slots: shapes, whole: new Set(whole) };
  contexts.set(pack, context);
  return context;
}

/** An expression belongs to one pack. */
const prepared = new WeakMap<JudgedExpression, Prepared>();

/** An expression of a pack, prepared once for all sessions. */
export function preparedOf(expression: JudgedExpression, pack: CompiledPack): Prepared {
  const known = prepared.get(expression);
  if (known !== undefined) return known;
  const made = prepareExpression(expression, contextOf(pack));
  prepared.set(expression, made);
  return made;
}
