import { REASONS, type Reason } from "../../artifact/reasons.js";
import { clean } from "../../base/clean.js";
import { cut } from "../../base/wording.js";
import type { BlockVerdict, SettleResult, Violation } from "../public.js";

/** Refusals whose hint may quote arguments or outputs. Messages end up in logs; the verdict still has the hint. */
const PRIVATE: ReadonlySet<Reason> = new Set<Reason>([
  "prior_output_mismatch",
  "schema_mismatch",
  "requirement_unjudgeable",
]);
/** Refusals whose hint is private only where it quotes what was found. */
const PRIVATE_IF_QUOTED: ReadonlySet<Reason> = new Set<Reason>(["prior_tool_missing", "envelope_violated"]);

function isPrivate({ reason, hint = "", found }: BlockVerdict): boolean {
  return PRIVATE.has(reason) || (PRIVATE_IF_QUOTED.has(reason) && found !== undefined && hint.includes(found));
}

function shownHint(verdict: BlockVerdict): string {
  const { hint, because } = verdict;
  if (hint !== undefined && !isPrivate(verdict)) return `; ${hint}`;
  return because === undefined ? "" : `; because: ${because}`;
}

/** Thrown instead of sending a refused call, or of returning a rejected output. */
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

/** The verdict for a rejected output. */
export function violationVerdict({ reason, rule, because, required, found }: Violation): BlockVerdict {
  const place = rule === null ? {} : { rule };
  const words = because === undefined ? {} : { because };
  return { kind: "block", reason, message: REASONS[reason], ...place, ...words, required, found };
}

/** The verdict that keeps an output from its reader; null where it may be read. */
export function rejectionOf({ violation }: SettleResult): BlockVerdict | null {
  return violation === undefined || violation.enforced === false ? null : violationVerdict(violation);
}
