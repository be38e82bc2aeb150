/** What `contract-guard/anthropic` exports. */
export type { ClientOptions } from "../client/client-options.js";
export type { Gate } from "../core/gate.js";
export type { Narrowing } from "../core/narrowing.js";
export type { Price, Prices } from "../core/usage-cost.js";
export { guardClient } from "./guard-client.js";
export { guardTools } from "./guard-tools.js";
