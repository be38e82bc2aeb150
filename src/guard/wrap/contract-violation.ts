import { REASONS, type Reason } from "../../artifact/reasons.js";
import { clean } from "../../base/clean.js";
import { cut } from "../../base/wording.js";
import type { BlockVerdict, Violation } from "../public.js";

/** Refusals whose hint may repeat what was found in arguments or outputs: messages end up in logs, the verdict has the hint. */
const PRIVATE: ReadonlySet<Reason> = new Set<Reason>(["prior_output_mismatch", "schema_mismatch"]);

function shownHint({ reason, hint }: BlockVerdict): string {
  return hint === undefined || PRIVATE.has(reason) ? "" : `; ${hint}`;
}

/** Thrown instead of making a call that the contracts refuse, or of handing on an output that breaks them. */
export class ContractViolation extends Error {
  /** Not enumerable: what was found may be private, and errors end up in logs. */
  declare readonly verdict: BlockVerdict;

  constructor(tool: string, verdict: BlockVerdict, options?: ErrorOptions) {
    const { reason, message, rule } = verdict;
    const place = rule === undefined ? "" : ` (${rule.file}:${rule.line})`;
    super(clean(`${cut(tool)}: ${reason}: ${message}${place}${shownHint(verdict)}`), options);
    this.name = "ContractViolation";
    Object.defineProperty(this, "verdict", { value: verdict, enumerable: false });
  }
}

/** What an output broke, as a refusal to hand it on. */
export function violationVerdict({ reason, rule, required, found }: Violation): BlockVerdict {
  return { kind: "block", reason, message: REASONS[reason], ...(rule === null ? {} : { rule }), required, found };
}
