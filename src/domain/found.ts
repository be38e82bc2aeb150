/** The result of looking for a member: one, surely none, or unknown because the search was cut. */
export type Found<T> = { readonly kind: "found"; readonly value: T } | { readonly kind: "none" | "unsure" };

export const NONE = { kind: "none" } as const;
export const UNSURE = { kind: "unsure" } as const;

export function found<T>(value: T): Found<T> {
  return { kind: "found", value };
}
