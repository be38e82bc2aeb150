import { spend } from "../../../base/cost.js";
import { divide, type ExactNumber, floorOf, subtract } from "../../../base/exact-number.js";
import { numberText } from "../number-text.js";
import type { Zone } from "./zone.js";

/** A moment as RFC 3339 in UTC, with as many digits of the second as it has. */
export function timeText(ms: ExactNumber): string {
  spend(200);
  const second = Math.floor(floorOf(ms) / 1000) * 1000;
  const whole = new Date(second).toISOString().slice(0, 19);
  const rest = subtract(ms, second);
  if (rest === null || rest === 0) return `${whole}Z`;
  const fraction = numberText(divide(rest, 1000) ?? 0);
  return `${whole}${fraction.slice(1)}Z`;
}

/** A span as seconds: `90s`, `-0.5s`. */
export function durationText(ms: ExactNumber): string {
  return `${numberText(divide(ms, 1000) ?? 0)}s`;
}

const DAY = 86_400_000;

/** What the getters of a moment give in a zone: as CEL counts, months, days of the month and of the year from 0. */
export const FIELDS = {
  getFullYear: (local: Date) => local.getUTCFullYear(),
  getMonth: (local: Date) => local.getUTCMonth(),
  getDate: (local: Date) => local.getUTCDate(),
  getDayOfMonth: (local: Date) => local.getUTCDate() - 1,
  getDayOfYear: dayOfYear,
  getDayOfWeek: (local: Date) => local.getUTCDay(),
  getHours: (local: Date) => local.getUTCHours(),
  getMinutes: (local: Date) => local.getUTCMinutes(),
  getSeconds: (local: Date) => local.getUTCSeconds(),
  getMilliseconds: (local: Date) => local.getUTCMilliseconds(),
} as const;

/** The name of a getter. */
export type Field = keyof typeof FIELDS;

function dayOfYear(local: Date): number {
  const first = new Date(local);
  first.setUTCMonth(0, 1);
  return Math.round((local.getTime() - first.getTime()) / DAY);
}

/** One field of a moment in a zone. */
export function fieldOf(field: Field, ms: ExactNumber, { offsetAt }: Zone): number {
  spend(50);
  const moment = floorOf(ms);
  return FIELDS[field](new Date(moment + offsetAt(moment)));
}
