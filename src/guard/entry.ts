/** What `contract-guard/guard` exports. */
export type { Artifact } from "../artifact/compiled.js";
export type { Place } from "../artifact/compiled-value.js";
export { checkArtifact, type DecodeResult, decodeArtifact, type Refusal } from "../artifact/decode.js";
export type { Reason } from "../artifact/reasons.js";
export type { RequestWarningCode } from "../artifact/run-time-codes.js";
export type { Json, JsonObject } from "../base/json.js";
export { SessionRefused } from "./durable/log-errors.js";
export type {
  AppendResult,
  DurableStore,
  ListedStream,
  ListOptions,
  LoadedStream,
  Snapshot,
  StoredRecord,
  StreamChange,
  StreamWrite,
} from "./durable-store.js";
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
  Acknowledgement,
  AggregateValue,
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
  RecordedAnswer,
  Resolution,
  SessionState,
  SettleResult,
  StepVerdict,
  UnsettledCall,
  Verdict,
  Violation,
  VisibleTools,
} from "./public.js";
export type { CallOrigin } from "./session/call.js";
export type { Ending, ErrorSign, KillCause, SessionEvent } from "./session/event.js";
export type { Outcome } from "./session/outcome.js";
export type { ApprovalEnd, PendingApproval } from "./session/pending-approval.js";
export type { EventPage, EventPage as Loaded, SessionStore } from "./session/store.js";
export {
  ExecutedButNotRecorded,
  type StoreFailure,
  type StoreFault,
  StoreUnavailable,
} from "./session/store-errors.js";
export type { CallOptions, ProxyCall, WrapOptions } from "./wrap/call-options.js";
export { ContractViolation } from "./wrap/contract-violation.js";
export { NotExecuted } from "./wrap/not-executed.js";
