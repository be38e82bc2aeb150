import type { CheckOf, CompiledCheck, CompiledPack, CompiledTool } from "../../artifact/compiled.js";
import type { CompiledInvariant, CompiledOperator } from "../../artifact/compiled-value.js";
import type { PackRules } from "../../artifact/pack-rules.js";
import { canonicalJson } from "../../base/canonical-json.js";
import { unreachable } from "../../base/invariant.js";
import { intersect } from "../../domain/domain.js";
import { acceptedByAll, refusedBy } from "../../domain/of-operator.js";
import { isEmpty } from "../../domain/questions.js";
import type { CallClaim } from "../claims/claim-searches.js";
import { checksOf } from "../model/checks-of.js";
import { type Callable, callableIn } from "./callable.js";
import { PhasePaths } from "./phase-paths.js";
import type { Proof } from "./proof.js";

/** Whether a condition is never surely false where others hold; with several values at one path, each may satisfy a different entry. */
function isNeverFalse({ path, operators }: CompiledInvariant, when: readonly CompiledInvariant[]): boolean {
  const same = when.filter((entry) => entry.path.text === path.text).map((entry) => entry.operators);
  const known = path.kind === "definite" ? [same.flat()] : same;
  const texts = (own: readonly CompiledOperator[]) => new Set(own.map(canonicalJson));
  return known.some((own) =>
    operators.every(
      (operator) =>
        texts(own).has(canonicalJson(operator)) ||
        isEmpty(intersect(acceptedByAll(own), refusedBy(operator))) === "yes",
    ),
  );
}

/** Whether a checkpoint asks about every call that meets the conditions, and an expired approval is a denial. */
function isAsked(
  { when, match, on_timeout: end }: CheckOf<"checkpoint">,
  conditions: readonly CompiledInvariant[],
): boolean {
  if (end !== "deny") return false;
  if (when === null) return true;
  // An expression is not known to hold.
  const isMet = (condition: (typeof when)[number]) => !("that" in condition) && isNeverFalse(condition, conditions);
  return match === "any" ? when.some(isMet) : when.every(isMet);
}

/** Proves claims about calls from the rules of a pack, without a search; an unproved claim may still hold. */
export class ClaimProver {
  constructor(
    private readonly pack: CompiledPack,
    private readonly rules: PackRules,
    /** The tools that may be called at all. */
    private readonly callable: Callable,
  ) {}

  /** Why a claim holds for every session; null if that is not known. */
  proofOf(claim: CallClaim): Proof | null {
    const tool = this.tool(claim.tool);
    if (tool === undefined) return null;
    return this.neverAllowed(tool) ?? this.proofFrom(claim, tool, tool.checks);
  }

  private tool(name: string): CompiledTool | undefined {
    return this.pack.tools.find((tool) => tool.name === name);
  }

  private neverAllowed(tool: CompiledTool): Proof | null {
    const proof = this.callable.proofAgainst(tool, this.rules);
    if (proof === null) return null;
    return {
      by: "never_allowed",
      rules: proof.rules,
      because: `no call of \`${tool.name}\` is ever allowed: ${proof.because}`,
    };
  }

  private proofFrom(claim: CallClaim, tool: CompiledTool, checks: readonly CompiledCheck[]): Proof | null {
    switch (claim.kind) {
      case "never_without_prior":
        return this.withoutPrior(claim.prior, tool);
      case "never_after":
        return this.after(claim.after, tool);
      case "never_when_label": {
        const gate = checksOf(checks, "label_gate").find(({ label }) => label === claim.label);
        return gate === undefined
          ? null
          : this.by("label_gate", gate, "a label gate refuses it while the session has the label");
      }
      case "at_most":
        return this.atMost(claim.calls, tool);
      case "requires_approval": {
        const found = checksOf(checks, "checkpoint").find((checkpoint) => isAsked(checkpoint, claim.when));
        return found === undefined
          ? null
          : this.by(
              "checkpoint",
              found,
              "a checkpoint asks about every such call, and an unanswered request denies it",
            );
      }
      default:
        return unreachable(claim);
    }
  }

  private by(by: Proof["by"], check: CompiledCheck, because: string): Proof {
    const [first] = this.rules.inCheck(check);
    return { by, because, rules: first === undefined ? [] : [first.id] };
  }

  private withoutPrior(prior: string, tool: CompiledTool): Proof | null {
    const own = checksOf(tool.checks, "precondition").find((check) => check.prior?.tool === prior);
    if (own !== undefined)
      return this.by("precondition", own, `a precondition requires an earlier call of \`${prior}\``);
    const proof = callableIn(this.pack, prior).proofAgainst(tool, this.rules);
    if (proof === null) return null;
    return { by: "needed_first", rules: proof.rules, because: `until \`${prior}\` was called, ${proof.because}` };
  }

  private after(name: string, tool: CompiledTool): Proof | null {
    for (const check of checksOf(tool.checks, "forbidden_by")) {
      const at = check.tools.findIndex((entry) => entry.tool === name);
      const rule = this.rules.inCheck(check)[at];
      if (at >= 0 && rule !== undefined)
        return { by: "forbids_after", rules: [rule.id], because: `a call of \`${name}\` forbids it from then on` };
    }
    const other = this.tool(name);
    if (other === undefined) return null;
    const never = this.neverAllowed(other);
    if (never !== null) return never;
    const paths = new PhasePaths(this.pack);
    const phases = paths.after(other, this.callable.tools);
    if (phases === null || [...phases].some((phase) => paths.isOpen(tool, phase))) return null;
    const because = `after \`${name}\` a session is only ever in ${[...phases].join(", ")}, where it is not valid`;
    return { by: "phase_left", because, rules: this.phaseRules([tool, other]) };
  }

  private phaseRules(tools: readonly CompiledTool[]): readonly string[] {
    const checks = tools.flatMap((tool) => checksOf(tool.checks, "phase"));
    return [...new Set(checks.flatMap((check) => this.rules.inCheck(check).map(({ id }) => id)))];
  }

  private atMost(calls: number, tool: CompiledTool): Proof | null {
    const { checks } = tool;
    // A read whose answer got lost may have happened, but is released, so that limits do not count it.
    if (tool.side_effect === "read" && tool.commits !== "at_dispatch") return null;
    const limits = [...checksOf(checks, "max_calls_per_tool"), ...checksOf(checks, "max_tool_calls")];
    const limit = limits.find(({ max }) => max <= calls);
    if (limit !== undefined) return this.by("call_limit", limit, `a session may have at most ${limit.max} such calls`);
    for (const check of checksOf(checks, "aggregate")) {
      const aggregate = this.pack.aggregates[check.index];
      if (aggregate?.metric !== "count" || aggregate.lte === null || aggregate.per !== undefined) continue;
      const most = Math.max(aggregate.lte, ...aggregate.when.map(({ then_lte: lte }) => lte ?? 0));
      if (Math.floor(most) <= calls)
        return this.by("count_limit", check, `\`${aggregate.name}\` counts at most ${most}`);
    }
    const own = checksOf(checks, "forbidden_by").some((check) => check.tools.some((entry) => entry.tool === tool.name));
    if (!own || calls < 1) return null;
    return { by: "forbids_itself", rules: [], because: "its first call forbids every further one" };
  }
}
