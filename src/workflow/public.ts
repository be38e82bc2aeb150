/** What `contract-guard/workflow` exports. */
export type { Artifact } from "../artifact/compiled.js";
export type { Reason } from "../artifact/reasons.js";
export type { Json, JsonObject } from "../base/json.js";
export type { Guard } from "../guard/guard-api.js";
export type { BlockVerdict } from "../guard/public.js";
export { openWorkflow } from "./api/open-workflow.js";
export type {
  HandoffOptions,
  HeldResource,
  Kill,
  SessionEntry,
  SessionOptions,
  Workflow,
  WorkflowOptions,
  WorkflowSession,
  WorkflowView,
} from "./api/workflow-api.js";
export { WorkflowRefused } from "./api/workflow-refused.js";
export type { ResourceMode } from "./rules/workflow-rules.js";
export type { KillScope, ResourceKey } from "./state/workflow-event.js";
export type { SessionStatus } from "./state/workflow-state.js";
