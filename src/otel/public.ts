/** What `contract-guard/otel` exports. */
export { instrumentGuard, type TelemetryOptions } from "./instrument-guard.js";
export { instrumentStore } from "./instrument-store.js";
