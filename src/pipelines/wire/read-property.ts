/** A property of an untrusted value; undefined if it cannot have any. */
export function readProperty(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
