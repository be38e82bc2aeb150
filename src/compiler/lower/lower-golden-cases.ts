import type { GoldenCase as LoweredCase, PackGoldenCases } from "../../artifact/golden-case.js";
import { invariant } from "../../base/invariant.js";
import type { JsonObject } from "../../base/json.js";
import { momentOfText } from "../../base/moment.js";
import { assertWhole } from "../../language/draft.js";
import type { GivenEntry, GoldenCase, ToolContract } from "../../language/schema/tool.js";
import type { RuleContext } from "../rule-context.js";
import { placeIn } from "./lower-value.js";

function argumentsOf(context: RuleContext, entry: GoldenCase): JsonObject {
  if (entry.arguments !== undefined) return entry.arguments;
  invariant(entry.input_ref !== undefined, "a golden case has arguments");
  const input = context.input(entry.input_ref);
  invariant(input.ok, "inputs of golden cases were read");
  return input.args;
}

function timeOf(now: string | undefined): number {
  const moment = now === undefined ? 0 : momentOfText(now);
  invariant(moment !== null, "times of golden cases were read");
  return moment;
}

/** Lowers the session that a case or a scenario begins with. */
export function lowerGiven(given: GivenEntry | undefined): LoweredCase["given"] {
  return {
    phase: given?.phase ?? null,
    labels: given?.labels ?? [],
    bindings: new Map(Object.entries(given?.bindings ?? {})),
    principal: given?.principal ?? null,
    history: (given?.history ?? []).map((call) => ({
      at: placeIn(call),
      tool: call.tool,
      args: call.arguments ?? {},
      output: call.output,
    })),
    now: timeOf(given?.now),
  };
}

/**
 * Lowers the golden cases of a pack without errors. `provider_modes` is left out: no verdict of the
 * guard depends on the provider, so a case is played whichever it is for.
 */
export function lowerGoldenCases(context: RuleContext): PackGoldenCases {
  const contracts = context.tools.map(({ contract }) => assertWhole<ToolContract>(contract));
  return contracts.flatMap(({ tool, golden_cases: cases }) =>
    cases.map((entry) => ({
      at: placeIn(entry),
      id: entry.id,
      tool,
      args: argumentsOf(context, entry),
      given: lowerGiven(entry.given),
      expected: { ok: entry.expect_ok, reason: entry.expected_error ?? null },
    })),
  );
}
