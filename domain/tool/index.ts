// Tools: their names and descriptions, calls and results.
export {
  approvalRulesFor,
  callLimitsOf,
  checkCall,
  type CheckedCall,
  describeRestriction,
  explainRestrictions,
  isRestricting,
  narrowAccess,
  permittedTools,
  type PinnedAccess,
  pinnedAccessSchema,
  type Restriction,
  restrictionsOf,
  revocationOf,
  toolControlsSchema,
  withApprovals,
  withRestrictions,
} from './access';
export {
  type CallDecision,
  callDecisionSchema,
  type CheckedEdit,
  type CheckEditInput,
  checkEditActivity,
  type FindDecisionInput,
  findDecisionActivity,
  type FoundDecision,
  type KeepDecisionInput,
  keepDecisionActivity,
} from './approval-contract';
export { type ApprovalRule, approvalRulesSchema, isAbout, ruleId } from './approval-rules';
export { askOperatorDescription, askOperatorName, askOperatorSchema } from './ask-operator';
export {
  failedOutcome,
  failedResult,
  maxToolCallsPerReply,
  readCallInput,
  type SessionEvent,
  sessionEventSchema,
  type ToolCall,
  toolCallSchema,
  type ToolOutcome,
  toolOutcomeSchema,
  type ToolResult,
  toolResultSchema,
} from './call';
export { callKey } from './call-key';
export {
  changeToolsActivity,
  type ChangeToolsInput,
  type ChangedTools,
  checkCallActivity,
  type CheckCallInput,
  type DeferredTools,
  deferredToolsSchema,
} from './contract';
export {
  defaultMaxToolTokens,
  deferredServers,
  descriptionTokens,
  heldTools,
  listedTools,
  offered,
  type OfferedTools,
  offerTools,
} from './deferral';
export { type DispatchPayload, renderDispatchPayload } from './dispatch-payload';
export {
  pinnedTool,
  type PinnedTool,
  pinnedToolsSchema,
  pinTools,
  type ToolDescription,
  toolDescriptionSchema,
  toolNameSchema,
  withoutTools,
} from './description';
export { describeDeferred, findToolDescription, findToolName, findToolSchema } from './find-tool';
export { renderFound } from './found-tools';
export {
  requestToolDescription,
  requestToolName,
  requestToolSchema,
  toolRequestRule,
  toolRequestsSchema,
} from './request-tool';
export { searchTools } from './search-tools';
export {
  builtInToolNames,
  dispatchSkillName,
  dispatchSubagentName,
  dispatchSubagentsName,
  isBuiltInTool,
  isDispatchTool,
} from './tool-names';
