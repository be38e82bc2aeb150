import { isNamed } from "../../guard/approvals/person.js";
import type { Operator } from "../../guard/durable/note.js";
import { UsageError } from "../exit-code.js";

/** Who changes something, and why, as the command line gives it. */
export type Signed = Operator;

/** The same, if both say something. */
export function signature({ by, why }: Signed): Operator {
  if (!isNamed(by) || !isNamed(why)) throw new UsageError("--by and --why must say who does it and why");
  return { by, why };
}
