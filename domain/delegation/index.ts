export {
  type DelegationResult,
  delegationResultSchema,
  type DelegationStart,
  DispatchRefusedError,
  type NamedArtifact,
  namedArtifactSchema,
  type PreparedDelegation,
  type ReadyDelegation,
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
  addDelegationArtifacts,
  delegationResult,
  type DeliveredToolResult,
  missingArtifacts,
  type NamedDelivery,
  toolResultForFailure,
  toolResultForRefusal,
  toolResultForSuccess,
} from './results';
