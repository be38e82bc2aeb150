import { REASONS } from "../../artifact/reasons.js";
import type { Json } from "../../base/json.js";
import type { Guard } from "../../guard/guard-api.js";
import type { BlockVerdict } from "../../guard/public.js";
import type { Outcome } from "../../guard/session/outcome.js";
import { ContractViolation, rejectionOf } from "../../guard/wrap/contract-violation.js";

/** The contract of each tool that the provider of the model runs itself, by the name of the tool. */
export type ProviderTools = Readonly<Record<string, string>>;

/** What `providerTools` calls the tools of a server that the provider calls. */
export function toolsOfServer(name: unknown): string {
  return `mcp:${String(name)}`;
}

/** A call that the provider has made. */
export interface ProviderCall {
  readonly id: string;
  /** What `providerTools` calls its tool. */
  readonly tool: string;
  readonly args: Json;
  readonly outcome: Outcome;
}

/** How such a call ended; null is no output, as far as the reply says it. */
export function outcomeOf(output: Json | null, isFailed: boolean): Outcome {
  if (isFailed) return { kind: "error" };
  return output === null ? { kind: "result" } : { kind: "result", output };
}

/** A tool that the provider runs and that has no contract. */
export class UnlistedTool extends TypeError {
  constructor(readonly tool: string) {
    super(`${tool} is run by the provider of the model: leave it out, or name its contract in \`providerTools\``);
  }
}

/** Whether a pack has a contract of this name. */
export function hasContract(guard: Guard, contract: string): boolean {
  const { visible, hidden } = guard.visibleTools();
  return visible.includes(contract) || hidden.some(({ tool }) => tool === contract);
}

/** The contract of such a tool; a tool without one is not used, because nobody judges its calls before they are made. */
export function contractOf(guard: Guard, providerTools: ProviderTools, tool: string): string {
  const contract = Object.hasOwn(providerTools, tool) ? providerTools[tool] : undefined;
  if (contract !== undefined && hasContract(guard, contract)) return contract;
  throw new UnlistedTool(tool);
}

/** Counts a call that the provider has made; why its contract refuses it, or its output. */
async function settled(
  guard: Guard,
  contract: string,
  { id, args, outcome }: ProviderCall,
): Promise<BlockVerdict | null> {
  const verdict = await guard.propose({ tool: contract, args, callKey: id });
  if (verdict.kind === "block") return verdict;
  if (verdict.kind === "approval_required") {
    const denied = await guard.deny(verdict.approvalId, {
      by: "contract-guard",
      note: "the provider has made the call",
    });
    return denied.kind === "block"
      ? denied
      : { kind: "block", reason: "approval_denied", message: REASONS.approval_denied };
  }
  // A reply may be judged again, where it is sent again.
  if (verdict.repeated === true) return null;
  return rejectionOf(await guard.settle(verdict.callId, outcome));
}

/** Counts the calls that the provider made for a reply. One that its contract refuses has happened: its reply is not used. */
export async function countProviderCalls(
  guard: Guard,
  calls: readonly ProviderCall[],
  providerTools: ProviderTools,
): Promise<void> {
  for (const call of calls) {
    const verdict = await settled(guard, contractOf(guard, providerTools, call.tool), call);
    if (verdict !== null) throw new ContractViolation(call.tool, verdict);
  }
}
