export {
  type AgentLimits,
  type AgentSettings,
  defaultHandoff,
  defaultHoldMs,
  defaultLimits,
  failurePolicySchema,
  settingsOf,
} from './agent-settings';
export {
  type AgentFailureDetails,
  agentFailureDetailsSchema,
  type AgentFiles,
  parseRunInput,
  readRunStart,
  type ResumedAgent,
  type RunInput,
  runInputSchema,
  type RunResult,
  runResultSchema,
  type RunStart,
  type RunStatus,
  type StatusSnapshot,
} from './contract';
export {
  afterCutReply,
  afterReply,
  type AgentProgress,
  type HandoffRecord,
  initialProgress,
  type OpenedAgent,
  type OperatorChanges,
  outcomeTokens,
  repairRequest,
  wrongFormNotice,
} from './progress';
export { applyVerdicts, type NamedToolResult, requestedChange, withSession } from './tool-results';
