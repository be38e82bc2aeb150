import { Fault } from "../fault.js";
import { isSpan, readDuration, readTime } from "../time/read-time.js";
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
  if (ms === null) return wrong(node, "duration");
  return isSpan(ms) ? new Duration(ms) : new Fault("bound", node, "span");
};

/** A getter of timestamps: in the zone that is given, else in that of the session, else in UTC. */
export function getter(field: Field): Call {
  return ([time = null, name], node, _frame, context) => {
    if (!(time instanceof Timestamp)) return wrongKind(node, 0, time);
    if (name !== undefined && typeof name !== "string") return wrongKind(node, 1, name);
    const zone = name === undefined ? (context.zone ?? UTC) : zoneOf(name);
    return zone === null ? new Fault("value", node, "zone") : fieldOf(field, time.ms, zone);
  };
}
