/** Values that callers may hand in where a JSON body belongs; none of them may be judged. */

function throwing(): never {
  throw new Error("not for your eyes");
}

/** An object that contains itself. */
export function cycle(): object {
  const ring: Record<string, unknown> = {};
  ring.self = ring;
  return ring;
}

/** Objects in objects, this many levels deep. */
export function nested(depth: number): object {
  let value: object = {};
  for (let level = 1; level < depth; level++) value = { value };
  return value;
}

/** Lists that hold the same list twice: small in memory, and endless when it is spelt out. */
export function shared(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = [value, value];
  return value;
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

class Body {
  readonly model = "gpt-4o";
}

/** Each with what it is. */
export const HOSTILE_VALUES: readonly (readonly [what: string, value: unknown])[] = [
  ["a proxy that throws", new Proxy({}, { ownKeys: throwing, get: throwing, getPrototypeOf: throwing })],
  ["a revoked proxy", revoked()],
  [
    "a getter that throws",
    {
      get model() {
        return throwing();
      },
    },
  ],
  ["a cycle", cycle()],
  ["too deep a value", nested(200)],
  ["too many values", { many: shared(25) }],
  ["an instance of a class", new Body()],
  ["a function", () => ({})],
  ["a symbol", Symbol("body")],
  ["a big integer", 5n],
  ["a member that is undefined", { model: undefined }],
  ["a member that is not finite", { temperature: Number.NaN }],
  ["a list", []],
  ["a text", "{}"],
  ["a number", 5],
  ["null", null],
];
