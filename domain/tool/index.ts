// Tools: their names and descriptions, calls and results.
export {
  callLimitsOf,
  checkCall,
  type CheckedCall,
  describeRestriction,
  explainRestrictions,
  narrowAccess,
  permittedTools,
  type PinnedAccess,
  pinnedAccessSchema,
  type Restriction,
  restrictionsOf,
  revocationOf,
  toolControlsSchema,
  withRestrictions,
} from './access';
export {
  failedOutcome,
  failedResult,
  maxToolCallsPerReply,
  type SessionEvent,
  type ToolCall,
  toolCallSchema,
  type ToolOutcome,
  toolOutcomeSchema,
  type ToolResult,
  toolResultSchema,
} from './call';
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
export { describeDeferred, findToolName, findToolSchema } from './find-tool';
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
