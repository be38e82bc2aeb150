import { additionsOf, type Requirement, sessionAdditions } from "./additions.js";
import type { Check, Result, Situation } from "./check.js";
import { type Judged, judgeIn, type Written, worldsFor } from "./expressions.js";
import { contractOf } from "./model.js";
import type { World } from "./worlds.js";

/** The last of the checks of arguments: the session's requirements that cover the tool, then the tool's own. */
function* requirementsOn({ pack, tool, contract }: Situation): Generator<Written & { readonly because: string }> {
  for (const { that, tools, reason: because } of sessionAdditions(pack.session).requires ?? []) {
    if (tools === undefined || tools.includes(tool)) yield { that, by: null, because };
  }
  if (contract === null) return;
  for (const { that, reason: because } of additionsOf(contract).requires ?? []) yield { that, by: tool, because };
}

function judgeRequirement(situation: Situation, written: Written, world: World): Result {
  switch (judgeIn(situation, written, world)) {
    case "true":
      return "pass";
    case "false":
      return "requirement_failed";
    case "unjudgeable":
      return "requirement_unjudgeable";
    case "awaited":
      return "unknown";
  }
}

export function* requirementChecks(situation: Situation): Generator<Check> {
  for (const written of requirementsOn(situation)) {
    yield {
      reasons: ["requirement_failed", "requirement_unjudgeable"],
      hides: false,
      because: written.because,
      presentFirst: true,
      worlds: worldsFor(situation.pack, situation.calls, written),
      judge: (world) => judgeRequirement(situation, written, world),
    };
  }
}

/** What the tool ensures and an output does not keep; what cannot be judged breaks it. */
export function brokenGuarantee(judged: Judged, world: World): Requirement | undefined {
  const contract = contractOf(judged.pack, judged.tool);
  const guarantees: readonly Requirement[] = contract === null ? [] : (additionsOf(contract).ensures ?? []);
  return guarantees.find(({ that }) => judgeIn(judged, { that, by: judged.tool }, world) !== "true");
}
