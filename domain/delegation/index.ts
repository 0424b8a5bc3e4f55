// Delegations: the dispatch tools, what a delegation starts with, and its result.
export {
  awaitDelegationActivity,
  type DelegationResult,
  delegationResultSchema,
  type DelegationStart,
  delegationWorkflowContract,
  DispatchRefusedError,
  type NamedArtifact,
  type PreparedDelegation,
  type ReadyDelegation,
  readyDelegationSchema,
  type RefusedDelegation,
  type SettingsOverrides,
} from './contract';
export {
  dispatchSkillSchema,
  dispatchSkillTool,
  headlineOf,
  inOneLine,
  skillInputFromInstructions,
  type SkillRequest,
} from './dispatch-skill';
export {
  type DispatchSubagentParameters,
  dispatchSubagentSchema,
  dispatchSubagentTool,
  maxSummaryCharacters,
} from './dispatch-subagent';
export {
  type BatchItem,
  type DelegationParameters,
  dispatchSubagentsSchema,
  dispatchSubagentsTool,
  type PreparedBatch,
  type ReadyItem,
  renderHeading,
  renderResult,
  type SubagentResult,
} from './dispatch-subagents';
export {
  type BatchRecord,
  batchRecordSchema,
  type DelegationFacts,
  delegationIdentity,
  delegationRecordSchema,
  type DelegationRequestRecord,
  delegationRequestSchema,
} from './record';
export {
  addDelegationArtifacts,
  delegationResult,
  type DeliveredToolResult,
  formatFailure,
  missingArtifacts,
  type NamedDelivery,
  toolResultForFailure,
  toolResultForRefusal,
  toolResultForSuccess,
} from './results';
