/** A property of a value that nobody vouches for; undefined where it cannot have any. */
export function readProperty(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
