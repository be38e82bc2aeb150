import type { Json, JsonObject } from "../../../../src/base/json.js";
import { evaluate, prepareExpression } from "../../../../src/guard/expression/evaluate.js";
import { Fault } from "../../../../src/guard/expression/fault.js";
import { Frame } from "../../../../src/guard/expression/frame.js";
import { preparePart } from "../../../../src/guard/expression/prepare.js";
import { shownFault, shownValue } from "../../../../src/guard/expression/shown.js";
import {
  FORGOTTEN,
  LOST,
  type SlotKey,
  type SlotReader,
  type SlotValue,
} from "../../../../src/guard/expression/slot-reader.js";
import { zoneOf } from "../../../../src/guard/expression/time/zone.js";
import { UNKNOWN } from "../../../../src/guard/session/call.js";
import { type Given, treeOf } from "../../compiler/expression/reading.js";

/** Slots of every shape: `unset` is in no list, the others are as they are named. */
const SHAPES: NonNullable<Given["slots"]> = {
  order: { kind: "plain" },
  amount: { kind: "plain" },
  unset: { kind: "plain" },
  lost: { kind: "plain" },
  pending: { kind: "plain" },
  reservation: { kind: "keyed", depth: 1 },
  offer: { kind: "keyed", depth: 2 },
  partial: { kind: "keyed", depth: 1 },
  awaited: { kind: "keyed", depth: 1 },
  cancelled: { kind: "union" },
  recent: { kind: "union" },
};

export interface Setting {
  readonly args?: JsonObject;
  readonly output?: Json;
  readonly principal?: Json;
  readonly labels?: readonly string[];
  readonly now?: number;
  readonly timezone?: string;
  readonly constants?: JsonObject;
  readonly slots?: Readonly<Record<string, Json>>;
}

const CONSTANTS: JsonObject = { fees: { economy: 30, business: 50.5 }, limit: 3, nothing: null };

const PLAIN: Readonly<Record<string, SlotValue>> = {
  order: { id: "o1", total: 20.3, items: ["a", "b"], note: null },
  amount: 12.5,
  lost: LOST,
  pending: UNKNOWN,
};

function readerOf(own: Readonly<Record<string, Json>>): SlotReader {
  const entries = new Map<SlotKey, Json>([
    ["R1", { user: "u1", cabin: "economy" }],
    [1, "number"],
    [true, "boolean"],
  ]);
  const days = new Map([["2024-05-01", new Map<SlotKey, Json>([["F1", { price: 80 }]])]]);
  return {
    read: (slot) => (Object.hasOwn(own, slot) ? own[slot] : PLAIN[slot]),
    entry(slot, keys) {
      const [first = "", second = ""] = keys;
      if (slot === "awaited") return UNKNOWN;
      if (slot === "offer") return days.get(String(first))?.get(second);
      return entries.get(first) ?? (slot === "partial" ? FORGOTTEN : undefined);
    },
    branch(slot, [day]) {
      if (slot === "awaited") return UNKNOWN;
      if (slot === "offer")
        return { value: day === undefined ? days : (days.get(String(day)) ?? new Map()), isComplete: true };
      return { value: entries, isComplete: slot !== "partial" };
    },
    hasBranch: (slot, [day]) => (slot === "awaited" ? UNKNOWN : slot !== "offer" || days.has(String(day))),
    union: (slot) => ({ value: ["a", 1, { id: "x" }, ["l"]], isComplete: slot !== "recent" }),
    includes: (slot, value) =>
      ['"a"', "1", '{"id":"x"}'].includes(JSON.stringify(value)) || (slot === "recent" ? FORGOTTEN : false),
    isLeftUnset: () => false,
  };
}

function inputOf({ args = {}, output = null, principal = null, labels = [], now = 0, slots = {} }: Setting) {
  return { args, output, principal, labels, tool: "pay", now, slots: readerOf(slots) };
}

function read(text: string, { constants = CONSTANTS, timezone, output }: Setting) {
  return treeOf(text, {
    slots: SHAPES,
    constants: { ...constants },
    hasTimezone: timezone !== undefined,
    hasOutput: output !== undefined,
  });
}

function slotShapes() {
  return new Map(Object.entries(SHAPES).map(([name, shape]) => [name, { depth: 0, ...shape }]));
}

/** What a text evaluates to, in words; of any kind. */
export function evaluated(text: string, setting: Setting = {}): string {
  const zone = setting.timezone === undefined ? null : zoneOf(setting.timezone);
  const context = { constants: setting.constants ?? CONSTANTS, zone, slots: slotShapes() };
  const part = preparePart(read(text, setting), { context, locals: [] });
  const input = inputOf(setting);
  const outcome = part.run(new Frame(input, input.slots));
  return outcome instanceof Fault ? `${outcome.kind}: ${shownFault(outcome)}` : shownValue(outcome, false);
}

/** How a text is judged: `true`, or the kind of the answer with what was found. */
export function judged(text: string, setting: Setting = {}): string {
  const context = {
    constants: setting.constants ?? CONSTANTS,
    timezone: setting.timezone ?? null,
    slots: slotShapes(),
  };
  const answer = evaluate(prepareExpression({ text, tree: read(text, setting) }, context), inputOf(setting));
  return answer.kind === "true" ? "true" : `${answer.kind}: ${answer.found}`;
}
