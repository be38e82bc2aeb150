import type { Entry } from "../../values/path-values.js";

/** What must never happen; `tool` is the one whose calls are looked at. */
export type Goal =
  /** A call whose arguments satisfy one of the lists of entries is allowed. */
  | { readonly kind: "never"; readonly tool: string; readonly calls: readonly (readonly Entry[])[] }
  | { readonly kind: "without"; readonly tool: string; readonly other: string }
  | { readonly kind: "after"; readonly tool: string; readonly other: string }
  /** More calls that may have happened than this. */
  | { readonly kind: "at_most"; readonly tool: string; readonly calls: number }
  /** The tool's phase rule refuses a call. */
  | { readonly kind: "phase_refuses"; readonly tool: string };
