// Delegations: the dispatch tools, what a delegation starts with, and its result.
export {
  fitResults,
  joinResultLines,
  parseResultLines,
  renderHeading,
  renderResultLines,
  resultArray,
  type ShownResult,
  type SubagentResult,
} from './batch-results';
export {
  awaitDelegationActivity,
  type DelegationResult,
  delegationResultSchema,
  delegationWorkflowContract,
  DispatchRefusedError,
  formatRefusal,
  type NamedArtifact,
  type PreparedDelegation,
  type ReadyDelegation,
  readyDelegationSchema,
  type Refusal,
  type RefusedDelegation,
  type SettingsOverrides,
  transcriptId,
} from './contract';
export { delegationResult, missingArtifacts } from './delegation-result';
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
} from './dispatch-subagents';
export { addDelegationArtifacts, roomForArtifacts } from './delivered-artifacts';
export { deliveredAs, describeExpected, type ExpectedOutputs, expectedOutputs } from './expected-outputs';
export { omitNulls } from './optional-fields';
export { packPrepared, type PreparedTogether, unpackPrepared } from './prepared-together';
export { mustRunAgain, type ReusePolicy, reusePolicy } from './run-again';
export {
  type BatchRecord,
  batchRecordSchema,
  delegationIdentity,
  delegationRecordSchema,
  type DelegationRequestRecord,
  delegationRequestSchema,
} from './record';
export {
  type DeliveredToolResult,
  formatFailure,
  type NamedDelivery,
  toolResultForFailure,
  toolResultForRefusal,
  toolResultForSuccess,
} from './results';
export { batchPrompt, type DelegationStart, readStart, type StartPayload, startPayload } from './start';
