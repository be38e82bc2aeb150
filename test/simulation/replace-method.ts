/** Any method of a class. */
export type Method = (this: object, ...args: unknown[]) => unknown;

/**
 * Puts another method in place of one of a class; the old one is given to whoever makes the new one. The function that it returns
 * puts it back.
 */
export function replace(
  owner: { readonly prototype: object },
  name: string,
  make: (old: Method) => Method,
): () => void {
  const { prototype } = owner;
  const old: unknown = Reflect.get(prototype, name);
  if (typeof old !== "function") throw new Error(`there is no method ${name} to break`);
  const put = (value: unknown) => Object.defineProperty(prototype, name, { configurable: true, writable: true, value });
  put(make(old as Method));
  return () => {
    put(old);
  };
}
