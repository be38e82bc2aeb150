/** What `contract-guard/pipelines` exports. */
export type { Json, JsonObject } from "../base/json.js";
export { ContractViolation } from "../guard/wrap/contract-violation.js";
export type { Acting, Agent, AgentAnswer, AgentContext, RunIds, SubAgent, ToolCallOptions } from "./dispatch/agent.js";
export {
  type CodeEnvironment,
  type CodeRun,
  type CodeRunProxy,
  createCodeRun,
  readCodeEnvironment,
} from "./dispatch/code-mode.js";
export { describeFailure } from "./dispatch/describe-failure.js";
export { createDispatchHandler, type DispatchHandler, type DispatchOptions } from "./dispatch/dispatch.js";
export type { InboundAuth } from "./dispatch/inbound-auth.js";
export { type NodeListener, type NodeRequest, type NodeResponse, toNodeListener } from "./dispatch/node-listener.js";
export type { RunOptions } from "./dispatch/run-options.js";
export { type DoctorReport, runDoctor } from "./doctor/doctor.js";
export type { DoctorCheck, DoctorCheckId, DoctorCheckStatus, DoctorFinding } from "./doctor/doctor-check.js";
export type { DoctorOptions } from "./doctor/doctor-options.js";
export { createProxyCall } from "./proxy/proxy-call.js";
export type { ProxyEndpoint } from "./proxy/proxy-endpoint.js";
export { type FailedSource, ProxyError, type ProxyErrorFacts } from "./proxy/proxy-error.js";
export type { ProxyCallOptions, ProxyCallSetting, RetryPolicy, ThrottleLimit } from "./proxy/proxy-options.js";
export { createTracer, type Tracer, type TracerSetting } from "./proxy/traces.js";
export { type ExpectedOutcome, type SeedRow, SeedRowError, seedRow } from "./registration/seed-row.js";
export { exportTools, ToolExportError } from "./registration/tool-export.js";
export {
  RESPONSE_CONTRACT,
  type ResponseContract,
  type ResponseContractConfig,
  type ResponseContractUpdate,
  responseContractConfig,
  responseContractUpdate,
} from "./response/response-config.js";
export { checkAgentResponse, type ResponseCheck } from "./response/response-contract.js";
export { RESPONSE_WARNINGS, type ResponseWarningCode, type SoftWarning } from "./response/response-warnings.js";
