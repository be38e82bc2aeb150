import { createGuard } from "../../../src/guard/guard.js";
import type { Guard } from "../../../src/guard/guard-api.js";
import type { GuardOptions } from "../../../src/guard/public.js";
import { artifactOf } from "../../support/guard-artifact.js";
import { deskPack, plainContract } from "../agent-pack.js";
import type { Turn } from "./wire.js";

/** `search` is run by the provider. */
const PACK = [
  deskPack("session_limits: { max_steps: 40, max_cost_per_session: 1 }"),
  plainContract(
    "fetch",
    "assertions: { input_invariants: [], output_invariants: [{ path: $, length_lte: 1, reason: One page at a time }] }",
  ),
  plainContract("search", "transitions: { valid_in_phases: [open] }"),
].join("");

export const CLIENT_ARTIFACT = artifactOf(PACK);

export function opened(options: GuardOptions = {}): Promise<Guard> {
  return createGuard(CLIENT_ARTIFACT, { env: {}, approver: "manual", ...options });
}

export const pay = (id: string, n: number) => ({ id, tool: "pay", args: { n } });
export const look = (id: string) => ({ id, tool: "look", args: {} });
export const file = (id: string) => ({ id, tool: "file", args: {} });

export const DONE: Turn = { text: "All done." };
export const TOOLS = ["look", "pay", "file"] as const;

/** What a guard's session counts. */
export function counted(guard: Guard) {
  const { steps, toolCalls, aggregates, unsettled } = guard.state();
  return { steps, toolCalls, paid: aggregates.paid, unsettled: unsettled.map(({ tool }) => tool) };
}
