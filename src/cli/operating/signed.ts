import type { Operator } from "../../guard/durable/note.js";
import { UsageError } from "../exit-code.js";

/** Who changes something, and why, as the command line gives it. */
export type Signed = Operator;

/** The same, if both say something. */
export function signature({ by, why }: Signed): Operator {
  if (by.trim() === "" || why.trim() === "") throw new UsageError("--by and --why must say who does it and why");
  return { by, why };
}
