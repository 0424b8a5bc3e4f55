// Agents: settings, progress, and the contracts of runs and model calls.
export {
  addsToRequest,
  type AgentLimits,
  type AgentSettings,
  agentSettingsSchema,
  areComplete,
  assumedSettings,
  completeSettings,
  defaultHandoff,
  defaultHoldMs,
  defaultLimits,
  failurePolicySchema,
  type HandoffSettings,
  maxPromptBytes,
  maxToolTokens,
  type RequestedSettings,
  requestedSettingsSchema,
  settingsOf,
} from './agent-settings';
export {
  type DefinitionControls,
  definitionControlsSchema,
  type DelegationControls,
  delegationControlsSchema,
  mergeControls,
  type TextControls,
} from './delegation-controls';
export { maxBurstTurns, mayGoOn, nextInBurst, turnsOf, untoldInBurst } from './burst';
export {
  type Burst,
  type CallLimits,
  executeToolActivity,
  type ExecuteToolInput,
  type ReplacedModel,
} from './call-contract';
export {
  type AgentFailureDetails,
  agentFailureDetailsSchema,
  checkRunActivity,
  goalOf,
  type OpenedRoot,
  openedRootSchema,
  openRunActivity,
  readRootMemo,
  readStartMemo,
  startMemo,
  type ResumedAgent,
  resumedAgentSchema,
  type RootMemo,
  rootMemo,
  rootTitle,
  type RunResult,
  runResultSchema,
  type RunStart,
  runWorkflowContract,
} from './contract';
export { continuedProgress } from './continue';
export {
  type AgentState,
  type BeforeTurn,
  beforeTurnContract,
  type ContinuedRoot,
  continueRunActivity,
} from './continue-contract';
export { estimateNextCall } from './next-call';
export {
  passAgent,
  passedAgentSchema,
  passedLimitsSchema,
  passedRefSchema,
  passLimits,
  passRef,
  receiveAgent,
  receiveLimits,
  receiveRef,
} from './passed-agent';
export {
  contentBytes,
  isStored,
  outcomeTokens,
  type PendingOutcome,
  pendingOutcomeSchema,
  withheld,
  withoutText,
  withVerdict,
} from './pending-outcome';
export { planTurn, type TurnPlan } from './plan-turn';
export {
  afterCutReply,
  afterFailedCall,
  afterFallback,
  afterReply,
  type AgentProgress,
  type HandoffRecord,
  initialProgress,
  type OpenedAgent,
  openedAgentSchema,
  type OperatorChanges,
  ownSpending,
  repairRequest,
  wrongFormNotice,
} from './progress';
export {
  afterTurn,
  callDigest,
  formatRepetition,
  formatRepetitionNotice,
  judgeRepetition,
  type RepeatedTurns,
  repeatedTurns,
  repetitionNotice,
} from './repetition';
export {
  type Continues,
  goalSchema,
  type OpenRunInput,
  parseOpenRun,
  parseRunInput,
  promptDefaultsSchema,
  type RunInput,
  type RunRequest,
  runRequestSchema,
  tenantSchema,
  workspaceFolderSchema,
} from './run-input';
export {
  type EndingRecord,
  endingRecordSchema,
  endingSummary,
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
  formatRelayStatus,
  type RelayStatus,
  type RunStatus,
  sessionContract,
  type SessionView,
  snapshotContract,
  type StatusSnapshot,
} from './status-contract';
export { aboutInput, expandTurn, takenResult, toldNext, type TurnReply } from './turn';
export {
  type CheckedAnswer,
  compactUsage,
  expandUsage,
  type Inside,
  type LeftCall,
  type RanCall,
  type ReasonOutside,
  reasonOutsideSchema,
  runTurnActivity,
  type RunTurnInput,
  type ToldInput,
  type Turn,
  type TurnFailure,
  type Turns,
  type TurnProgress,
  turnProgressSchema,
} from './turn-contract';
export { applyVerdicts, type NamedToolResult, requestedChange, withSession } from './tool-results';
