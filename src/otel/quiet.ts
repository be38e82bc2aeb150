import { foreignErrorName } from "../base/foreign-value.js";

/** What was warned of: telemetry that fails does so with every call. */
const warned = new Set<string>();
const MOST_WARNINGS = 20;

/** Does something for telemetry alone. Where it fails nothing else does; a warning has the name of the error, no text. */
export function quietly<T>(work: () => T, otherwise: T): T {
  try {
    return work();
  } catch (cause) {
    const name = foreignErrorName(cause);
    if (!warned.has(name) && warned.size < MOST_WARNINGS) {
      warned.add(name);
      process.emitWarning(`telemetry failed: ${name}`);
    }
    return otherwise;
  }
}
