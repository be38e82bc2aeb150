import { additionsOf, type Requirement, sessionAdditions } from "./additions.js";
import type { Check, Result, Situation } from "./check.js";
import { type Judged, judgeIn, type Written, worldsFor } from "./expressions.js";
import { contractOf } from "./model.js";
import type { World } from "./worlds.js";

/** The last of the checks of arguments: the session's requirements that cover the tool, then the tool's own. */
function* requirementsOn({ pack, tool, contract }: Situation): Generator<Written> {
  for (const { that, tools } of sessionAdditions(pack.session).requires ?? []) {
    if (tools === undefined || tools.includes(tool)) yield { that, by: null };
  }
  if (contract === null) return;
  for (const { that } of additionsOf(contract).requires ?? []) yield { that, by: tool };
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
      presentFirst: true,
      worlds: worldsFor(situation.pack, situation.calls, written),
      judge: (world) => judgeRequirement(situation, written, world),
    };
  }
}

/** Whether an output keeps what the tool ensures; what cannot be judged breaks it. */
export function keepsGuarantees(judged: Judged, world: World): boolean {
  const contract = contractOf(judged.pack, judged.tool);
  const guarantees: readonly Requirement[] = contract === null ? [] : (additionsOf(contract).ensures ?? []);
  return guarantees.every(({ that }) => judgeIn(judged, { that, by: judged.tool }, world) === "true");
}
