export { encodeArtifact } from "./artifact/encode.js";
export { type CompileOptions, type CompileResult, compilePack } from "./compiler/compile-pack.js";
export type { Severity } from "./diagnostics/diagnostic.js";
export type { PlainDiagnostic as Diagnostic } from "./diagnostics/render-json.js";
export {
  type AllowVerdict,
  type Answer,
  type ApprovalAnswer,
  type ApprovalRequest,
  type ApprovalVerdict,
  type Artifact,
  type BlockVerdict,
  type CallOptions,
  type Clock,
  ContractViolation,
  checkArtifact,
  createGuard,
  type DecodeResult,
  decodeArtifact,
  type Guard,
  type GuardEvents,
  type GuardOptions,
  type Loaded,
  NotExecuted,
  type Outcome,
  type ProposedCall,
  type ProxyCall,
  type Reason,
  type Refusal,
  type SessionEvent,
  type SessionState,
  type SessionStore,
  type SettleResult,
  type Verdict,
  type Violation,
  type VisibleTools,
  type WrapOptions,
} from "./guard/guard.js";
export { memoryStore } from "./stores/memory.js";
