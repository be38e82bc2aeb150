const MOMENT = /^([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2})(?:\.[0-9]{1,3})?(?:Z|[-+][0-9]{2}:[0-9]{2})$/;

/** Milliseconds since 1970 of a time in RFC 3339 with an offset; null if the text is none. */
export function momentOfText(text: string): number | null {
  const [, local] = MOMENT.exec(text) ?? [];
  if (local === undefined) return null;
  // The engine takes the 30th of February for a day of March.
  const utc = new Date(`${local}Z`);
  if (Number.isNaN(utc.getTime()) || utc.toISOString().slice(0, local.length) !== local) return null;
  const moment = Date.parse(text);
  return Number.isNaN(moment) ? null : moment;
}
