import type { Rule } from "../rule.js";
import { ackOnlyOnHighRisk } from "./ack-only-on-high-risk.js";
import { acknowledgedUnverifiable } from "./acknowledged-unverifiable.js";
import { advanceWithoutEdge } from "./advance-without-edge.js";
import { aliasCycle } from "./alias-cycle.js";
import { ambiguousClaim } from "./ambiguous-claim.js";
import { ambiguousPolicyRule } from "./ambiguous-policy-rule.js";
import { badPath } from "./bad-path.js";
import { badProviderPattern } from "./bad-provider-pattern.js";
import { badRegex } from "./bad-regex.js";
import { badSchema } from "./bad-schema.js";
import { badStatus } from "./bad-status.js";
import { badToolDefinition } from "./bad-tool-definition.js";
import { badToolName } from "./bad-tool-name.js";
import { blockedTool } from "./blocked-tool.js";
import { callLimitBelowChain } from "./call-limit-below-chain.js";
import { conflictingGoldenCase } from "./conflicting-golden-case.js";
import { conflictingInvariants } from "./conflicting-invariants.js";
import { conflictingStageRole } from "./conflicting-stage-role.js";
import { customTag } from "./custom-tag.js";
import { deadCheckpoint } from "./dead-checkpoint.js";
import { deadEndPhase } from "./dead-end-phase.js";
import { deadLoopDetection } from "./dead-loop-detection.js";
import { deadPrecondition } from "./dead-precondition.js";
import { deadTool } from "./dead-tool.js";
import { duplicateClaim } from "./duplicate-claim.js";
import { duplicateDefinition } from "./duplicate-definition.js";
import { duplicateInitialPhase } from "./duplicate-initial-phase.js";
import { duplicateKey } from "./duplicate-key.js";
import { duplicateName } from "./duplicate-name.js";
import { duplicateTool } from "./duplicate-tool.js";
import { emptyAllowedError } from "./empty-allowed-error.js";
import { emptyPack } from "./empty-pack.js";
import { emptyPrecondition } from "./empty-precondition.js";
import { emptyValue } from "./empty-value.js";
import { fileNameMismatch } from "./file-name-mismatch.js";
import { fileTooLarge } from "./file-too-large.js";
import { goldenCaseInput } from "./golden-case-input.js";
import { idleAggregate } from "./idle-aggregate.js";
import { impreciseNumber } from "./imprecise-number.js";
import { indefinitePath } from "./indefinite-path.js";
import { jsonSyntax } from "./json-syntax.js";
import { labelGateBlocksEnd } from "./label-gate-blocks-end.js";
import { limitBelowShortestPath } from "./limit-below-shortest-path.js";
import { mergeKey } from "./merge-key.js";
import { missingAggregatePath } from "./missing-aggregate-path.js";
import { missingBand } from "./missing-band.js";
import { missingBound } from "./missing-bound.js";
import { missingContract } from "./missing-contract.js";
import { missingDefinition } from "./missing-definition.js";
import { missingField } from "./missing-field.js";
import { missingInitialPhase } from "./missing-initial-phase.js";
import { missingOperator } from "./missing-operator.js";
import { missingOverride } from "./missing-override.js";
import { missingStageRole } from "./missing-stage-role.js";
import { missingTerminalPhase } from "./missing-terminal-phase.js";
import { needsVersion11 } from "./needs-version-1-1.js";
import { nestedWorkflow } from "./nested-workflow.js";
import { nonStringKey } from "./non-string-key.js";
import { notUtf8 } from "./not-utf8.js";
import { operatorNotAllowed } from "./operator-not-allowed.js";
import { outOfRange } from "./out-of-range.js";
import { outputOfAckOnly } from "./output-of-ack-only.js";
import { outputOfUnverifiable } from "./output-of-unverifiable.js";
import { pathFilter } from "./path-filter.js";
import { phaseCycleWithoutExit } from "./phase-cycle-without-exit.js";
import { preconditionCycle } from "./precondition-cycle.js";
import { refUnsetOnSomePath } from "./ref-unset-on-some-path.js";
import { referenceAfterConstrained } from "./reference-after-constrained.js";
import { retryMayRepeatEffect } from "./retry-may-repeat-effect.js";
import { severalDocuments } from "./several-documents.js";
import { shadowedPolicyRule } from "./shadowed-policy-rule.js";
import { toleranceWithoutRef } from "./tolerance-without-ref.js";
import { tooDeep } from "./too-deep.js";
import { tooFewStages } from "./too-few-stages.js";
import { tooManyAliases } from "./too-many-aliases.js";
import { tooManyTokens } from "./too-many-tokens.js";
import { unconditionalDeny } from "./unconditional-deny.js";
import { unenforcedSchemaKeyword } from "./unenforced-schema-keyword.js";
import { unenteredPhase } from "./unentered-phase.js";
import { unknownAlias } from "./unknown-alias.js";
import { unknownBinding } from "./unknown-binding.js";
import { unknownCheck } from "./unknown-check.js";
import { unknownInputRef } from "./unknown-input-ref.js";
import { unknownKey } from "./unknown-key.js";
import { unknownLabel } from "./unknown-label.js";
import { unknownPhase } from "./unknown-phase.js";
import { unknownProviderField } from "./unknown-provider-field.js";
import { unknownReason } from "./unknown-reason.js";
import { unknownResource } from "./unknown-resource.js";
import { unknownRole } from "./unknown-role.js";
import { unknownSessionContract } from "./unknown-session-contract.js";
import { unknownTool } from "./unknown-tool.js";
import { unknownValue } from "./unknown-value.js";
import { unreachablePhase } from "./unreachable-phase.js";
import { unreachableTerminal } from "./unreachable-terminal.js";
import { unreadableFile } from "./unreadable-file.js";
import { unsatisfiableAggregate } from "./unsatisfiable-aggregate.js";
import { unsetRef } from "./unset-ref.js";
import { unsupportedRegex } from "./unsupported-regex.js";
import { unsupportedSchemaKeyword } from "./unsupported-schema-keyword.js";
import { unsupportedSchemaPattern } from "./unsupported-schema-pattern.js";
import { unsupportedVersion } from "./unsupported-version.js";
import { unusedAggregatePath } from "./unused-aggregate-path.js";
import { unusedBand } from "./unused-band.js";
import { unusedBind } from "./unused-bind.js";
import { unusedResource } from "./unused-resource.js";
import { unusedRole } from "./unused-role.js";
import { unusedSchemaExclude } from "./unused-schema-exclude.js";
import { unusedSuppression } from "./unused-suppression.js";
import { wildcardAggregatePath } from "./wildcard-aggregate-path.js";
import { wrongExtension } from "./wrong-extension.js";
import { wrongType } from "./wrong-type.js";
import { yamlSyntax } from "./yaml-syntax.js";

/** What the analysis of a sound pack as a whole finds: rules that can do nothing, ways that lead nowhere. */
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
  unusedResource,
  unusedRole,
  conflictingInvariants,
  deadCheckpoint,
  shadowedPolicyRule,
  unsatisfiableAggregate,
  idleAggregate,
  labelGateBlocksEnd,
];

/** Every rule, in the order they run: what a file is, what it says, how its parts fit, what follows from it. */
export const RULES: readonly Rule[] = [
  unreadableFile,
  wrongExtension,
  fileTooLarge,
  notUtf8,
  emptyPack,
  yamlSyntax,
  jsonSyntax,
  severalDocuments,
  tooDeep,
  tooManyTokens,
  duplicateKey,
  nonStringKey,
  mergeKey,
  customTag,
  unknownAlias,
  aliasCycle,
  tooManyAliases,
  impreciseNumber,
  unknownKey,
  operatorNotAllowed,
  missingField,
  wrongType,
  unknownValue,
  outOfRange,
  emptyValue,
  tooFewStages,
  unsupportedVersion,
  badToolName,
  badStatus,
  badProviderPattern,
  badPath,
  pathFilter,
  indefinitePath,
  badRegex,
  unsupportedRegex,
  badToolDefinition,
  duplicateDefinition,
  missingOperator,
  needsVersion11,
  toleranceWithoutRef,
  fileNameMismatch,
  duplicateTool,
  duplicateName,
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
  unknownResource,
  unknownSessionContract,
  nestedWorkflow,
  missingContract,
  missingDefinition,
  badSchema,
  unsupportedSchemaKeyword,
  unsupportedSchemaPattern,
  unenforcedSchemaKeyword,
  unusedSchemaExclude,
  unknownCheck,
  ambiguousClaim,
  unknownLabel,
  duplicateClaim,
  deadTool,
  ...ANALYSIS_RULES,
  unusedSuppression,
];
