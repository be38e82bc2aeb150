/** A property of an untrusted value: undefined where it has none, or where reading it fails. */
export function foreignProperty(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  try {
    return Reflect.get(value, name);
  } catch {
    // A getter or a revoked proxy may throw; what it throws is not used.
    return undefined;
  }
}

/** Names of classes are like this. Whoever throws may have put any text there. */
const CLASS_NAME = /^[\p{L}_$][\p{L}\p{N}_$.]{0,79}$/u;

/**
 * The name of what was thrown, for logs, where it can be that of a class: a message may hold private values, and reading it may
 * run foreign code.
 */
export function foreignErrorName(cause: unknown): string {
  try {
    if (!(cause instanceof Error)) return "unknown";
  } catch {
    return "unknown";
  }
  const name = foreignProperty(cause, "name");
  return typeof name === "string" && CLASS_NAME.test(name) ? name : "unknown";
}

/** Whether a thrown value is an error of a class; `instanceof` alone fails on a revoked proxy. */
export function isInstance<T>(kind: abstract new (...args: never) => T, value: unknown): value is T {
  try {
    return value instanceof kind;
  } catch {
    return false;
  }
}
