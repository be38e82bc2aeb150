/** A client whose copies have other options. */
interface Copied<O> {
  withOptions(options: O): this;
}

/**
 * A guarded client whose copies are guarded too, also those that are given another way to send. `bare` is how the client sent before it
 * was guarded.
 */
export function guardedCopies<O extends object, C extends Copied<O>>(
  own: C,
  bare: Partial<O>,
  guarded: (copy: C) => C,
): C {
  const copied = own.withOptions.bind(own);
  Object.defineProperty(own, "withOptions", {
    value: (options: O): C => guarded(copied({ ...bare, ...options })),
  });
  return own;
}

/** Whether a path hides what it is from whoever does not decode it: a server may do so twice. */
export function isHidden(path: string): boolean {
  return /%(?:2e|2f|5c|25)/i.test(path);
}
