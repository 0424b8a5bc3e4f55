export {
  failedOutcome,
  failedResult,
  maxToolCallsPerReply,
  type SessionEvent,
  type ToolCall,
  type ToolOutcome,
  type ToolResult,
} from './call';
export {
  pinnedTool,
  type PinnedTool,
  type PinnedTools,
  pinTools,
  type ToolDescription,
  toolDescriptionSchema,
  toolNameSchema,
  withoutTools,
} from './description';
export {
  requestToolDescription,
  requestToolName,
  requestToolSchema,
  toolRequestRule,
  toolRequestsSchema,
} from './request-tool';
export {
  builtInToolNames,
  dispatchSkillName,
  dispatchSubagentName,
  dispatchSubagentsName,
  isDispatchTool,
} from './tool-names';
