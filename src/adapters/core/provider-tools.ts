import type { Json } from "../../base/json.js";
import type { Guard } from "../../guard/guard-api.js";
import type { BlockVerdict } from "../../guard/public.js";
import { ContractViolation, violationVerdict } from "../../guard/wrap/contract-violation.js";

/** The contract of each tool that the provider of the model runs itself, by the name of the tool. */
export type ProviderTools = Readonly<Record<string, string>>;

/** A call that the provider has made. */
export interface ProviderCall {
  readonly id: string;
  readonly tool: string;
  readonly args: Json;
  readonly output: unknown;
}

/** The contract of such a tool; a tool without one is not used, because nobody judges its calls before they are made. */
export function contractOf(guard: Guard, providerTools: ProviderTools, tool: string): string {
  const contract = Object.hasOwn(providerTools, tool) ? providerTools[tool] : undefined;
  const { visible, hidden } = guard.visibleTools();
  const isKnown = contract !== undefined && [...visible, ...hidden.map((each) => each.tool)].includes(contract);
  if (isKnown) return contract;
  throw new TypeError(
    `${tool} is run by the provider of the model: leave it out, or name its contract in \`providerTools\``,
  );
}

async function refusalOf(guard: Guard, contract: string, call: ProviderCall): Promise<BlockVerdict | null> {
  const verdict = await guard.propose({ tool: contract, args: call.args, callKey: call.id });
  if (verdict.kind === "block") return verdict;
  if (verdict.kind === "approval_required") {
    const denied = await guard.deny(verdict.approvalId, {
      by: "contract-guard",
      note: "the provider has made the call",
    });
    return denied.kind === "block" ? denied : null;
  }
  if (verdict.repeated === true) return null;
  const { violation } = await guard.settle(verdict.callId, { kind: "result", output: call.output });
  return violation === undefined ? null : violationVerdict(violation);
}

/** Counts the calls that the provider made for a reply. One that its contract refuses has happened: its reply is not used. */
export async function countProviderCalls(
  guard: Guard,
  calls: readonly ProviderCall[],
  providerTools: ProviderTools,
): Promise<void> {
  for (const call of calls) {
    const verdict = await refusalOf(guard, contractOf(guard, providerTools, call.tool), call);
    if (verdict !== null) throw new ContractViolation(call.tool, verdict);
  }
}
