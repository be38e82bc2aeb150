import { compareNumbers, floorOf, magnitudeOf } from "../../../base/exact-number.js";
import { Fault } from "../fault.js";
import { readDuration, readTime } from "../time/read-time.js";
import { type Field, fieldOf } from "../time/time-text.js";
import { UTC, zoneOf } from "../time/zone.js";
import { Duration, Timestamp } from "../value.js";
import { type Call, wrong, wrongKind } from "./operand.js";

/** `timestamp`: RFC 3339; without an offset in the zone of the session. */
export const timestamp: Call = ([value = null], node, _frame, { zone }) => {
  if (value instanceof Timestamp) return value;
  if (typeof value !== "string") return wrongKind(node, 0, value);
  const time = readTime(value, zone);
  return typeof time === "string" ? wrong(node, time) : new Timestamp(time);
};

/** `duration`: hours, minutes, seconds and milliseconds. */
export const duration: Call = ([value = null], node) => {
  if (value instanceof Duration) return value;
  if (typeof value !== "string") return wrongKind(node, 0, value);
  const ms = readDuration(value);
  return ms === null ? wrong(node, "duration") : new Duration(ms);
};

/** The units of spans; a span has no other fields. */
const UNITS: Partial<Readonly<Record<Field, number>>> = {
  getHours: 3_600_000,
  getMinutes: 60_000,
  getSeconds: 1000,
  getMilliseconds: 1,
};

/** A span in whole units, without its fraction; as CEL has it, milliseconds are those beside the seconds. */
function spanIn(field: Field, { ms }: Duration): number | null {
  const unit = UNITS[field];
  if (unit === undefined) return null;
  const units = Math.floor(floorOf(magnitudeOf(ms)) / unit);
  const amount = field === "getMilliseconds" ? units % 1000 : units;
  return compareNumbers(ms, 0) < 0 ? 0 - amount : amount;
}

/** A getter of timestamps: in the zone that is given, else in that of the session, else in UTC. */
export function getter(field: Field): Call {
  return ([time = null, name], node, _frame, context) => {
    if (time instanceof Duration && name === undefined) return spanIn(field, time) ?? wrongKind(node, 0, time);
    if (!(time instanceof Timestamp)) return wrongKind(node, 0, time);
    if (name !== undefined && typeof name !== "string") return wrongKind(node, 1, name);
    const zone = name === undefined ? (context.zone ?? UTC) : zoneOf(name);
    return zone === null ? new Fault("value", node, "zone") : fieldOf(field, time.ms, zone);
  };
}
