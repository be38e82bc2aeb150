import type { CheckOf, CompiledPack } from "../artifact/compiled.js";
import type { CompiledInvariant, CompiledOperator } from "../artifact/compiled-value.js";
import { canonicalJson } from "../base/canonical-json.js";
import { unreachable } from "../base/invariant.js";
import { checksOf } from "./checks-of.js";
import type { CallClaim } from "./claim-hunts.js";

/** Whether whatever one operator accepts the other accepts too, as far as their words tell. */
function entails(one: CompiledOperator, other: CompiledOperator): boolean {
  if (one.op === "gte" && other.op === "gte") return one.value >= other.value;
  if (one.op === "lte" && other.op === "lte") return one.value <= other.value;
  return canonicalJson(one) === canonicalJson(other);
}

function isMetBy({ path, operators }: CompiledInvariant, when: readonly CompiledInvariant[]): boolean {
  const known = when.filter((entry) => entry.path.text === path.text).flatMap((entry) => entry.operators);
  return operators.every((operator) => known.some((one) => entails(one, operator)));
}

/** Whether a checkpoint asks about every call that meets the conditions. */
function isAsked({ when, match }: CheckOf<"checkpoint">, conditions: readonly CompiledInvariant[]): boolean {
  if (when === null) return true;
  const isMet = (condition: CompiledInvariant) => isMetBy(condition, conditions);
  return match === "any" ? when.some(isMet) : when.every(isMet);
}

/** Whether a claim says what a check of its tool asks in every state: that needs no search. */
export function isRule(claim: CallClaim, { tools }: CompiledPack): boolean {
  const checks = tools.find(({ name }) => name === claim.tool)?.checks ?? [];
  switch (claim.kind) {
    case "never_without_prior":
      return checksOf(checks, "precondition").some(({ prior }) => prior?.tool === claim.prior);
    case "never_after":
      return checksOf(checks, "forbidden_by").some((check) => check.tools.some(({ tool }) => tool === claim.after));
    case "never_when_label":
      return checksOf(checks, "label_gate").some(({ label }) => label === claim.label);
    case "at_most":
      return [...checksOf(checks, "max_calls_per_tool"), ...checksOf(checks, "max_tool_calls")].some(
        ({ max }) => max <= claim.calls,
      );
    case "requires_approval":
      return checksOf(checks, "checkpoint").some((checkpoint) => isAsked(checkpoint, claim.when));
    default:
      return unreachable(claim);
  }
}
