import type { CheckOf, CompiledPack, CompiledTool } from "../../../artifact/compiled.js";
import type { CompiledInvariant } from "../../../artifact/compiled-value.js";
import { unreachable } from "../../../base/invariant.js";
import { oppositeOf } from "../../../operators/index.js";
import type { CallClaim } from "../../claims/claim-searches.js";
import { checksOf } from "../../model/checks-of.js";
import type { Entry } from "../../values/path-values.js";
import type { Goal } from "./goal.js";
import { MOST } from "./most.js";

/** What a claim says must never happen. */
export function goalOf(claim: CallClaim, pack: CompiledPack): Goal {
  const { tool } = claim;
  switch (claim.kind) {
    case "never_without_prior":
      return { kind: "without", tool, other: claim.prior };
    case "never_after":
      return { kind: "after", tool, other: claim.after };
    case "at_most":
      return { kind: "at_most", tool, calls: claim.calls };
    case "never_when_label":
      return { kind: "never", tool, calls: isGated(pack, claim) ? [] : [[]] };
    case "requires_approval":
      return { kind: "never", tool, calls: unasked(pack, claim) };
    default:
      return unreachable(claim);
  }
}

function toolOf({ tools }: CompiledPack, name: string): CompiledTool | undefined {
  return tools.find((tool) => tool.name === name);
}

function isGated(pack: CompiledPack, { tool, label }: CallClaim & { readonly kind: "never_when_label" }): boolean {
  return checksOf(toolOf(pack, tool)?.checks ?? [], "label_gate").some((gate) => gate.label === label);
}

/** The calls that a claim names and that no checkpoint asks about with an expiry that denies. */
function unasked(
  pack: CompiledPack,
  { tool, when }: CallClaim & { readonly kind: "requires_approval" },
): readonly (readonly Entry[])[] {
  const checkpoints = checksOf(toolOf(pack, tool)?.checks ?? [], "checkpoint");
  // On several values, each may meet another condition.
  let ways: readonly (readonly Entry[])[] = [when.filter(({ path }) => path.kind === "definite")];
  for (const checkpoint of checkpoints) {
    if (checkpoint.on_timeout !== "deny") continue;
    const silent = silentWays(checkpoint);
    if (ways.length * silent.length > MOST.ways) continue;
    ways = ways.flatMap((way) => silent.map((entries) => [...way, ...entries]));
  }
  return ways;
}

/** The ways in which a checkpoint does not ask: each is a list of entries that arguments must satisfy. */
function silentWays({ when, match }: CheckOf<"checkpoint">): readonly (readonly Entry[])[] {
  if (when === null) return [];
  const each = when.map((condition) => ("that" in condition ? [[]] : failing(condition)));
  if (match === "all") return each.flat();
  let ways: readonly (readonly Entry[])[] = [[]];
  for (const silent of each) {
    if (ways.length * silent.length > MOST.ways) continue;
    ways = ways.flatMap((way) => silent.map((entries) => [...way, ...entries]));
  }
  return ways;
}

/** The ways in which a condition fails for sure: one of its operators does. */
function failing({ path, operators }: CompiledInvariant): readonly (readonly Entry[])[] {
  return operators.map((operator) => {
    // A value that the operator cannot judge is asked about.
    const opposite = path.kind === "definite" ? oppositeOf(operator) : null;
    return opposite === null ? [] : [{ path, operators: [opposite] }];
  });
}
