import type { Expression } from "../../artifact/expression.js";
import { unreachable } from "../../base/invariant.js";
import { show, showMembers } from "../../base/wording.js";
import type { Fault } from "./fault.js";
import { MOST_STEPS } from "./frame.js";
import { numberText } from "./number-text.js";
import { partText } from "./part-text.js";
import type { SlotKey } from "./slot-reader.js";
import { durationText, timeText } from "./time/time-text.js";
import { Duration, isList, isNumber, isPlainObject, SlotPart, Timestamp, type Value, ValueMap } from "./value.js";

/** The most characters of one part. */
const LONGEST = 80;
const LONGEST_NAME = 48;
/** With two of them there is less room for each. */
const LONGEST_OPERAND = 24;

function cutTo(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
}

/** A value in a few words. */
export function shownValue(value: Value, hidesObjects: boolean): string {
  if (value instanceof Timestamp) return timeText(value.ms);
  if (value instanceof Duration) return durationText(value.ms);
  if (isNumber(value)) return numberText(value);
  if (hidesObjects && isPlainObject(value)) return showMembers(value);
  if (typeof value !== "object" || value === null || isPlainObject(value)) return show(value);
  if (isList(value)) {
    const items = value.slice(0, LONGEST).map((item) => shownValue(item, hidesObjects));
    return `[${items.join(",")}]`;
  }
  if (value instanceof ValueMap) return `a map of ${value.entries.size} keys`;
  return value instanceof SlotPart ? "a slot" : "";
}

/** A part and its value. */
export function shownPart(node: Expression, value: Value, hidesObjects: boolean): string {
  return sentence(node, `is ${shownValue(value, hidesObjects)}`);
}

function sentence(node: Expression, rest: string): string {
  return cutTo(`${cutTo(partText(node), LONGEST_NAME)} ${rest}`, LONGEST);
}

function slotText(slot: string, keys: readonly SlotKey[]): string {
  return cutTo(`slots.${slot}${keys.map((key) => `[${show(key)}]`).join("")}`, LONGEST_NAME);
}

/** Texts and lists have articles of their own. */
const KINDS: Readonly<Record<string, string>> = {
  null: "null",
  bool: "a truth value",
  number: "a number",
  string: "a text",
  list: "a list",
  map: "an object",
  timestamp: "a timestamp",
  duration: "a duration",
};

const WRONG_VALUES: Readonly<Record<string, string>> = {
  zero: "divides by 0",
  integer: "is no integer",
  number: "is not given a number",
  count: "is not given a count",
  "no time": "is not given a time in RFC 3339",
  "no zone": "lacks an offset, and the session a `timezone`",
  "no such local time": "is a local time that does not exist",
  duration: "is not given hours, minutes, seconds or milliseconds",
  zone: "is not given a time zone",
  empty: "is given an empty list",
  digits: "is not given a number of digits",
  key: "has a key twice",
  "long key": "has a key that no double spells",
};

const BOUNDS: Readonly<Record<string, string>> = {
  digits: "needs more than 34 digits",
  years: "leaves the years 1 to 9999",
  span: "is longer than 292 years",
  steps: `takes more than ${MOST_STEPS} steps`,
};

/** One part of a wrong kind, or two that do not go together. */
function shownKinds(part: Expression, what: string): string {
  const [first = "", second] = what.split(" ");
  const kind = KINDS[first] ?? "of another kind";
  if (part.kind !== "binary" || second === undefined) return sentence(part, `is ${kind}`);
  const [left, right] = [cutTo(partText(part.left), LONGEST_OPERAND), cutTo(partText(part.right), LONGEST_OPERAND)];
  return cutTo(`${left} is ${kind}, ${right} ${KINDS[second] ?? ""}`, LONGEST);
}

/** Why a part has no value, in a few words. */
export function shownFault({ kind, part, what, keys }: Fault): string {
  switch (kind) {
    case "missing": {
      const [key] = keys;
      return part.kind === "index" && key !== undefined
        ? cutTo(`${cutTo(partText(part.of), LONGEST_NAME)}[${show(key)}] is missing`, LONGEST)
        : sentence(part, "is missing");
    }
    case "unset":
      return `${slotText(what, keys)} is not set`;
    case "lost":
      return `${slotText(what, keys)} is no longer known`;
    case "forgotten":
      return `${slotText(what, keys)} is not among the latest values, and older ones are forgotten`;
    case "kind":
      return shownKinds(part, what);
    case "value":
      return sentence(part, WRONG_VALUES[what] ?? "has no value");
    case "bound":
      return sentence(part, BOUNDS[what] ?? "is too large");
    case "awaited":
      return `${slotText(what, keys)} depends on a call that has not settled`;
    default:
      return unreachable(kind);
  }
}
