/** What `contract-guard/langchain` exports. */
export type { Gate } from "../core/gate.js";
export type { Narrowing } from "../core/narrowing.js";
export type { ProviderTools } from "../core/provider-tools.js";
export type { Price, Prices } from "../core/usage-cost.js";
export { guardMiddleware } from "./guard-middleware.js";
export type { MiddlewareOptions } from "./options.js";
