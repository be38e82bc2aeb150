/** What `contract-guard/guard` exports. */
export type { Artifact } from "../artifact/compiled.js";
export { checkArtifact, type DecodeResult, decodeArtifact, type Refusal } from "../artifact/decode.js";
export type { Reason } from "../artifact/reasons.js";
export { createGuard } from "./guard.js";
export type { Guard } from "./guard-api.js";
export type {
  ModelCall,
  ModelProvider,
  ModelRequest,
  ModelResponse,
  RequestBlock,
  RequestVerdict,
  RequestWarning,
  ResponseBlock,
  ResponseField,
  ResponseVerdict,
} from "./model/public.js";
export type {
  AllowVerdict,
  Answer,
  ApprovalAnswer,
  ApprovalRequest,
  ApprovalVerdict,
  BlockVerdict,
  Clock,
  GuardEvents,
  GuardOptions,
  ProposedCall,
  SessionState,
  SettleResult,
  Verdict,
  Violation,
  VisibleTools,
} from "./public.js";
export type { SessionEvent } from "./session/event.js";
export type { Outcome } from "./session/outcome.js";
export type { Loaded, SessionStore } from "./session/store.js";
export { ExecutedButNotRecorded, type StoreFault, StoreUnavailable } from "./session/store-errors.js";
export type { CallOptions, ProxyCall, WrapOptions } from "./wrap/call-options.js";
export { ContractViolation } from "./wrap/contract-violation.js";
export { NotExecuted } from "./wrap/not-executed.js";
