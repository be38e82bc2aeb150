/** What `contract-guard/ai` exports. */
export type { Gate } from "../core/gate.js";
export type { Narrowing } from "../core/narrowing.js";
export type { ProviderTools } from "../core/provider-tools.js";
export type { Refusal } from "../core/refusal.js";
export { RefusedCall } from "../core/refused-call.js";
export type { Price, Prices } from "../core/usage-cost.js";
export { guardAgent } from "./guard-agent.js";
export type { AgentOptions, GuardedAgent, PrepareStep } from "./options.js";
