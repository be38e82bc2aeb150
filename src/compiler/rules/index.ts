import type { Rule } from "../rule.js";
import { ambiguousClaim } from "./claims/ambiguous-claim.js";
import { duplicateClaim } from "./claims/duplicate-claim.js";
import { unknownLabel } from "./claims/unknown-label.js";
import { unknownSharedResource } from "./claims/unknown-shared-resource.js";
import { alwaysFalseExpression } from "./expressions/always-false-expression.js";
import { alwaysTrueExpression } from "./expressions/always-true-expression.js";
import { badExpression } from "./expressions/bad-expression.js";
import { badLetName } from "./expressions/bad-let-name.js";
import { badTime } from "./expressions/bad-time.js";
import { exactSum } from "./expressions/exact-sum.js";
import { expressionNotBoolean } from "./expressions/expression-not-boolean.js";
import { expressionTooLarge } from "./expressions/expression-too-large.js";
import { implicationAsAnd } from "./expressions/implication-as-and.js";
import { keyedSlotWithoutKey } from "./expressions/keyed-slot-without-key.js";
import { letCycle } from "./expressions/let-cycle.js";
import { mixedLogic } from "./expressions/mixed-logic.js";
import { unknownConstant } from "./expressions/unknown-constant.js";
import { unknownFunction } from "./expressions/unknown-function.js";
import { unknownMember } from "./expressions/unknown-member.js";
import { unknownVariable } from "./expressions/unknown-variable.js";
import { unsetComparison } from "./expressions/unset-comparison.js";
import { unsupportedExpression } from "./expressions/unsupported-expression.js";
import { wrongKind } from "./expressions/wrong-kind.js";
import { advanceWithoutEdge } from "./graph/advance-without-edge.js";
import { blockedTool } from "./graph/blocked-tool.js";
import { callLimitBelowChain } from "./graph/call-limit-below-chain.js";
import { conflictingInvariants } from "./graph/conflicting-invariants.js";
import { deadCheckpoint } from "./graph/dead-checkpoint.js";
import { deadEndPhase } from "./graph/dead-end-phase.js";
import { deadPrecondition } from "./graph/dead-precondition.js";
import { deadTool } from "./graph/dead-tool.js";
import { idleAggregate } from "./graph/idle-aggregate.js";
import { labelGateBlocksEnd } from "./graph/label-gate-blocks-end.js";
import { limitBelowShortestPath } from "./graph/limit-below-shortest-path.js";
import { phaseCycleWithoutExit } from "./graph/phase-cycle-without-exit.js";
import { preconditionCycle } from "./graph/precondition-cycle.js";
import { refUnsetOnSomePath } from "./graph/ref-unset-on-some-path.js";
import { referenceAfterConstrained } from "./graph/reference-after-constrained.js";
import { shadowedPolicyRule } from "./graph/shadowed-policy-rule.js";
import { unenteredPhase } from "./graph/unentered-phase.js";
import { unreachablePhase } from "./graph/unreachable-phase.js";
import { unreachableTerminal } from "./graph/unreachable-terminal.js";
import { unsatisfiableAggregate } from "./graph/unsatisfiable-aggregate.js";
import { unsetRef } from "./graph/unset-ref.js";
import { unusedBind } from "./graph/unused-bind.js";
import { unusedConstant } from "./graph/unused-constant.js";
import { unusedLet } from "./graph/unused-let.js";
import { conflictingBinds } from "./names/conflicting-binds.js";
import { duplicateHandoff } from "./names/duplicate-handoff.js";
import { duplicateInitialPhase } from "./names/duplicate-initial-phase.js";
import { duplicateName } from "./names/duplicate-name.js";
import { duplicateTool } from "./names/duplicate-tool.js";
import { fileNameMismatch } from "./names/file-name-mismatch.js";
import { limitOfPlainSlot } from "./names/limit-of-plain-slot.js";
import { missingContract } from "./names/missing-contract.js";
import { missingDefinition } from "./names/missing-definition.js";
import { missingInitialPhase } from "./names/missing-initial-phase.js";
import { missingTerminalPhase } from "./names/missing-terminal-phase.js";
import { nestedWorkflow } from "./names/nested-workflow.js";
import { slotNotPlain } from "./names/slot-not-plain.js";
import { unknownBinding } from "./names/unknown-binding.js";
import { unknownCheck } from "./names/unknown-check.js";
import { unknownInputRef } from "./names/unknown-input-ref.js";
import { unknownPhase } from "./names/unknown-phase.js";
import { unknownReason } from "./names/unknown-reason.js";
import { unknownRole } from "./names/unknown-role.js";
import { unknownSessionContract } from "./names/unknown-session-contract.js";
import { unknownTool } from "./names/unknown-tool.js";
import { unusedDefault } from "./names/unused-default.js";
import { unusedSuppression } from "./names/unused-suppression.js";
import { FILE_PROBLEMS } from "./problems/file-problems.js";
import { SHAPE_PROBLEMS } from "./problems/shape-problems.js";
import { TEXT_PROBLEMS } from "./problems/text-problems.js";
import { WORD_PROBLEMS } from "./problems/word-problems.js";
import { ambiguousStep } from "./scenarios/ambiguous-step.js";
import { badSchema } from "./schemas/bad-schema.js";
import { unenforcedSchemaKeyword } from "./schemas/unenforced-schema-keyword.js";
import { unsupportedSchemaKeyword } from "./schemas/unsupported-schema-keyword.js";
import { unsupportedSchemaPattern } from "./schemas/unsupported-schema-pattern.js";
import { unusedSchemaExclude } from "./schemas/unused-schema-exclude.js";
import { ackOnlyOnHighRisk } from "./shape/ack-only-on-high-risk.js";
import { acknowledgedUnverifiable } from "./shape/acknowledged-unverifiable.js";
import { ambiguousPolicyRule } from "./shape/ambiguous-policy-rule.js";
import { badGoldenBinding } from "./shape/bad-golden-binding.js";
import { badGoldenTime } from "./shape/bad-golden-time.js";
import { conflictingGoldenCase } from "./shape/conflicting-golden-case.js";
import { conflictingStageRole } from "./shape/conflicting-stage-role.js";
import { deadLoopDetection } from "./shape/dead-loop-detection.js";
import { emptyAllowedError } from "./shape/empty-allowed-error.js";
import { emptyPrecondition } from "./shape/empty-precondition.js";
import { goldenCaseInput } from "./shape/golden-case-input.js";
import { missingAggregatePath } from "./shape/missing-aggregate-path.js";
import { missingBand } from "./shape/missing-band.js";
import { missingBound } from "./shape/missing-bound.js";
import { missingOperator } from "./shape/missing-operator.js";
import { missingOverride } from "./shape/missing-override.js";
import { missingStageRole } from "./shape/missing-stage-role.js";
import { needsVersion11 } from "./shape/needs-version-1-1.js";
import { operatorNotAllowed } from "./shape/operator-not-allowed.js";
import { outputOfAckOnly } from "./shape/output-of-ack-only.js";
import { outputOfUnverifiable } from "./shape/output-of-unverifiable.js";
import { retryMayRepeatEffect } from "./shape/retry-may-repeat-effect.js";
import { toleranceWithoutRef } from "./shape/tolerance-without-ref.js";
import { unconditionalDeny } from "./shape/unconditional-deny.js";
import { unknownKey } from "./shape/unknown-key.js";
import { unknownProviderField } from "./shape/unknown-provider-field.js";
import { unmatchedKey } from "./shape/unmatched-key.js";
import { unusedAggregatePath } from "./shape/unused-aggregate-path.js";
import { unusedBand } from "./shape/unused-band.js";
import { wildcardAggregatePath } from "./shape/wildcard-aggregate-path.js";
import { deadHandoff } from "./workflow/dead-handoff.js";
import { handoffCycleWithoutRoot } from "./workflow/handoff-cycle-without-root.js";
import { readOnlySharedResource } from "./workflow/read-only-shared-resource.js";
import { singleSessionResource } from "./workflow/single-session-resource.js";
import { unreachableRole } from "./workflow/unreachable-role.js";
import { unusedClosePolicy } from "./workflow/unused-close-policy.js";
import { unusedResource } from "./workflow/unused-resource.js";
import { unusedRole } from "./workflow/unused-role.js";
import { unusedSharedResource } from "./workflow/unused-shared-resource.js";
import { workflowLimitBelowRoles } from "./workflow/workflow-limit-below-roles.js";

/** What the analysis of a whole pack without errors finds: rules without effect, paths that lead nowhere. */
export const ANALYSIS_RULES: readonly Rule[] = [
  unreachableTerminal,
  deadEndPhase,
  phaseCycleWithoutExit,
  advanceWithoutEdge,
  unenteredPhase,
  blockedTool,
  preconditionCycle,
  deadPrecondition,
  unsetRef,
  refUnsetOnSomePath,
  referenceAfterConstrained,
  limitBelowShortestPath,
  callLimitBelowChain,
  unusedBind,
  unusedConstant,
  unusedLet,
  unusedResource,
  unusedRole,
  unreachableRole,
  handoffCycleWithoutRoot,
  workflowLimitBelowRoles,
  deadHandoff,
  unusedClosePolicy,
  unusedSharedResource,
  readOnlySharedResource,
  singleSessionResource,
  conflictingInvariants,
  deadCheckpoint,
  shadowedPolicyRule,
  unsatisfiableAggregate,
  idleAggregate,
  labelGateBlocksEnd,
];

/** Every rule, in the order they run: files, contents, references between the parts, then the analysis of the whole. */
export const RULES: readonly Rule[] = [
  ...FILE_PROBLEMS,
  ...TEXT_PROBLEMS,
  unknownKey,
  operatorNotAllowed,
  ...SHAPE_PROBLEMS,
  ...WORD_PROBLEMS,
  missingOperator,
  needsVersion11,
  toleranceWithoutRef,
  fileNameMismatch,
  duplicateTool,
  duplicateName,
  duplicateHandoff,
  ackOnlyOnHighRisk,
  outputOfUnverifiable,
  outputOfAckOnly,
  acknowledgedUnverifiable,
  retryMayRepeatEffect,
  emptyPrecondition,
  ambiguousPolicyRule,
  unconditionalDeny,
  missingAggregatePath,
  unusedAggregatePath,
  wildcardAggregatePath,
  missingBound,
  missingOverride,
  missingBand,
  unusedBand,
  conflictingStageRole,
  missingStageRole,
  goldenCaseInput,
  conflictingGoldenCase,
  unknownReason,
  unknownInputRef,
  emptyAllowedError,
  unknownProviderField,
  deadLoopDetection,
  missingInitialPhase,
  duplicateInitialPhase,
  missingTerminalPhase,
  unknownPhase,
  unreachablePhase,
  unknownTool,
  unknownBinding,
  unknownRole,
  unknownSessionContract,
  nestedWorkflow,
  missingContract,
  missingDefinition,
  badSchema,
  unsupportedSchemaKeyword,
  unsupportedSchemaPattern,
  unenforcedSchemaKeyword,
  unusedSchemaExclude,
  badExpression,
  unsupportedExpression,
  unknownFunction,
  unknownVariable,
  unknownConstant,
  keyedSlotWithoutKey,
  expressionTooLarge,
  badTime,
  badLetName,
  letCycle,
  expressionNotBoolean,
  wrongKind,
  unknownMember,
  alwaysFalseExpression,
  alwaysTrueExpression,
  mixedLogic,
  exactSum,
  implicationAsAnd,
  unsetComparison,
  unknownCheck,
  ambiguousClaim,
  ambiguousStep,
  unknownLabel,
  unknownSharedResource,
  duplicateClaim,
  deadTool,
  unusedDefault,
  conflictingBinds,
  slotNotPlain,
  limitOfPlainSlot,
  unmatchedKey,
  badGoldenBinding,
  badGoldenTime,
  ...ANALYSIS_RULES,
  unusedSuppression,
];
