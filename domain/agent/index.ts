// Agents: settings, progress, and the contracts of runs and model calls.
export {
  type AgentLimits,
  type AgentSettings,
  agentSettingsSchema,
  defaultHandoff,
  defaultHoldMs,
  defaultLimits,
  failurePolicySchema,
  type HandoffSettings,
  settingsOf,
} from './agent-settings';
export {
  type CallLimits,
  callModelActivity,
  type CallModelInput,
  executeToolActivity,
  type ExecuteToolInput,
} from './call-contract';
export {
  type AgentFailureDetails,
  agentFailureDetailsSchema,
  openRunActivity,
  parseRunInput,
  readRootMemo,
  type ResumedAgent,
  resumedAgentSchema,
  type RootMemo,
  type RunInput,
  runInputSchema,
  type RunResult,
  runResultSchema,
  type RunStart,
  runWorkflowContract,
} from './contract';
export {
  afterCutReply,
  afterFailedCall,
  afterReply,
  type AgentProgress,
  type HandoffRecord,
  initialProgress,
  type OpenedAgent,
  openedAgentSchema,
  type OperatorChanges,
  outcomeTokens,
  repairRequest,
  wrongFormNotice,
} from './progress';
export {
  type EndingRecord,
  endingRecordSchema,
  type FinalRecord,
  finalRecordSchema,
  recordEndingActivity,
  type RecordEndingInput,
  recordVersion,
  type RootRecord,
  rootRecordSchema,
} from './record-contract';
export {
  type AgentFiles,
  filesContract,
  type RunStatus,
  sessionContract,
  snapshotContract,
  type StatusSnapshot,
} from './status-contract';
export { applyVerdicts, type NamedToolResult, requestedChange, withSession } from './tool-results';
