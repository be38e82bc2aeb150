/** What `contract-guard/guard` exports. */
export type { Artifact } from "../artifact/compiled.js";
export { checkArtifact, type DecodeResult, decodeArtifact, type Refusal } from "../artifact/decode.js";
export type { Reason } from "../artifact/reasons.js";
export type { Violation } from "./decide/judge-output.js";
export { createGuard, Guard } from "./guard.js";
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
  VisibleTools,
} from "./public.js";
export type { SessionEvent } from "./session/event.js";
export type { Outcome } from "./session/outcome.js";
export type { Loaded, SessionStore } from "./session/store.js";
export { ExecutedButNotRecorded, type StoreFault, StoreUnavailable } from "./session/store-errors.js";
export { NotExecuted } from "./wrap/not-executed.js";
export { type CallOptions, ContractViolation, type ProxyCall, type WrapOptions } from "./wrap/wrap.js";
