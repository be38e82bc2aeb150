/** What `contract-guard/guard` exports. */
export type { Artifact } from "../artifact/compiled.js";
export { checkArtifact, type DecodeResult, decodeArtifact, type Refusal } from "../artifact/decode.js";
export type { Reason } from "../artifact/reasons.js";
export type { SessionEvent } from "./event.js";
export { createGuard, Guard } from "./guard.js";
export type { Violation } from "./judge-output.js";
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
export { NotExecuted } from "./not-executed.js";
export type { Outcome } from "./outcome.js";
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
export type { Loaded, SessionStore } from "./store.js";
export { ExecutedButNotRecorded, type StoreFault, StoreUnavailable } from "./store-errors.js";
export { type CallOptions, ContractViolation, type ProxyCall, type WrapOptions } from "./wrap.js";
