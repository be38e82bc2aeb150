import type { PackRule, RuleKind } from "../../artifact/pack-rules.js";
import type { Reason } from "../../artifact/reasons.js";
import type { Program } from "../../guard/program/program.js";
import { ARGUMENT_KINDS } from "../model/checks-of.js";
import { isStateless, mainReason, reasonsOf } from "../model/rule-reasons.js";
import type { Findings } from "./findings.js";

/** Rules that need many calls. States with fewer calls subsume those with more, so these rules need their own search. */
const CUMULATIVE: ReadonlySet<RuleKind> = new Set([
  "max_steps",
  "max_tool_calls",
  "max_calls_per_tool",
  "max_calls_per_step",
  "loop_detection",
  "aggregate",
]);

/** Rules about the principal: each principal needs its own search. */
const PERSONAL: ReadonlySet<RuleKind> = new Set(["policy_deny", "policy_allow", "default_deny"]);

export function isCumulative({ body }: PackRule): boolean {
  return CUMULATIVE.has(body.kind);
}

export function isPersonal({ body }: PackRule): boolean {
  return PERSONAL.has(body.kind);
}

/** Rules whose verdict does not depend on the state. */
const OF_ONE_CALL: ReadonlySet<RuleKind> = new Set<RuleKind>([...ARGUMENT_KINDS, "output_invariant", "max_cost"]);

/** What remains to be found for one tool. */
export class Goals {
  private readonly plain: readonly PackRule[];
  private readonly reasons: ReadonlySet<Reason>;
  private readonly sums: ReadonlySet<Reason>;

  constructor(
    private readonly tool: string,
    rules: readonly PackRule[],
    private readonly findings: Findings,
    { edges, pack }: Program,
  ) {
    const priors = new Set(rules.flatMap(({ body }) => (body.kind === "precondition" ? (body.prior?.tool ?? []) : [])));
    this.plain = rules.filter((rule) => !isCumulative(rule) && !isPersonal(rule) && !OF_ONE_CALL.has(rule.body.kind));
    const entities = new Set(
      rules.flatMap(({ body }) => (body.kind === "precondition" ? (body.prior?.resource?.text ?? []) : [])),
    );
    // Arguments that name an entity are judged only after the required earlier call for it.
    const isOfState = ({ body }: PackRule) =>
      !OF_ONE_CALL.has(body.kind) || ("path" in body && entities.has(body.path.text));
    const stateful = rules.filter((rule) => !isPersonal(rule) && isOfState(rule));
    // The main reason of a counting rule has its own search.
    this.reasons = new Set(
      stateful.flatMap((rule) =>
        reasonsOf(rule.body)
          .slice(isCumulative(rule) ? 1 : 0)
          .filter((reason) => !isStateless(reason, rule.body, { edges, pack, priors })),
      ),
    );
    this.sums = new Set(rules.filter(isCumulative).flatMap((rule) => mainReason(rule) ?? []));
  }

  /** Some rule was not seen to refuse, or no call was allowed. */
  get isUnmet(): boolean {
    if (this.findings.allowedCall(this.tool) === null) return true;
    return this.plain.some(
      ({ id }) => this.findings.rule(id).alone === null && this.findings.rule(id).together === null,
    );
  }

  /** Some rule was not seen to refuse alone, or no call was allowed. */
  get isOpen(): boolean {
    if (this.findings.allowedCall(this.tool) === null) return true;
    return this.plain.some(({ id }) => this.findings.rule(id).alone === null);
  }

  /** No call was refused because of an unsettled one; most other effects of unsettled calls also occur once they settle. */
  get isConflictUnseen(): boolean {
    return this.reasons.has("pending_conflict") && !this.findings.reasons(this.tool).has("pending_conflict");
  }

  /** Some reason was not seen yet. */
  get hasUnseenReason(): boolean {
    return this.isUnseen(this.reasons);
  }

  /** The main reason of some counting rule was not seen yet. */
  get hasUnseenSum(): boolean {
    return this.isUnseen(this.sums);
  }

  private isUnseen(reasons: ReadonlySet<Reason>): boolean {
    const seen = this.findings.reasons(this.tool);
    return [...reasons].some((reason) => !seen.has(reason));
  }
}
