/** The letters of IANA names: the platform also takes offsets, which say nothing about daylight saving time. */
const NAME = /^[A-Za-z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+)*$/;

/** Whether a text is the IANA name of a time zone that this platform knows. */
export function isTimeZone(name: string): boolean {
  if (!NAME.test(name)) return false;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch (cause) {
    if (cause instanceof RangeError) return false;
    throw cause;
  }
}

/** The names of the time zones that this platform lists. */
export function timeZones(): readonly string[] {
  return Intl.supportedValuesOf("timeZone");
}
