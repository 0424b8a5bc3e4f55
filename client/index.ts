// The public API of the package `baton`: start runs and relays, inspect them, and answer their incidents. Expected
// failures are thrown as `BatonError`, and invalid values as `InvalidInputError`.

// Connect
export { clientDataConverter } from '../encryption/data-converter';
export { type EncryptionKey, type EncryptionKeys, KeyRing } from '../encryption/key-ring';
export { openFileStore } from '../store/file/open-file-store';
export { openStore, type OpenStoreOptions, type StoreSettings } from '../store/open-store';
export { callerTrace } from '../temporal-config/node/caller-trace';
export { connectClient, type ConnectedClient } from '../temporal-config/node/connect-client';
export { resolveConnection, type ResolvedConnection } from '../temporal-config/node/connection';
export { readSettings, type Settings } from '../temporal-config/node/settings';
export { BatonClientPlugin } from './client-plugin';

// Start
export {
  defaultLimits,
  type AgentLimits,
  type DelegationControls,
  type RunInput,
  type RunResult,
} from '../domain/agent';
export { resolveModel } from '../domain/model';
export { parseRelay, type RelayDefinition, type RelayInput, type RelayResult } from '../domain/relay';
export { rerun, type RerunOptions } from './agent/rerun';
export { startRelay, startRun, type StartedRun } from './agent/start';
export {
  createBaton,
  newRunId,
  type Baton,
  type BatonOptions,
  type StartRelayOptions,
  type StartRunOptions,
} from './baton';

// Inspect
export type { AgentFiles, StatusSnapshot } from '../domain/agent';
export type { AgentFigures, Figures } from '../domain/budget';
export { filesQuery, snapshotQuery } from '../workflows/messages';
export { readRecordedAgent, type RecordedAgent } from './agent/history';
export { describeRun, outcomeOf, queryRunStatus, type RunOutcome } from './agent/outcome';
export { batonRun, RunHandle } from './agent/run-handle';
export type {
  ConversationCall,
  ConversationEntry,
  ConversationMark,
  ConversationMessage,
  ConversationPage,
  ConversationText,
  ConversationTurn,
  PartialReply,
} from './conversation/conversation';
export { Conversations, type ConversationRange } from './conversation/conversations';
export type { ConversationChange, FollowOptions } from './conversation/follow';
export { agentTree, type AgentTree } from './delegation/agent-tree';
export { readEvents, type ReadEventsOptions } from './event/read-events';
export type { RunEvent } from './event/record';
export { auditRun, auditStoredRun, type AuditedAgent } from './prompt/audit-run';
export { readStoredRun, type StoredAgent, type StoredEnd, type StoredRun } from './record/stored-run';
export { storedReport } from './record/stored-views';
export { gatherReport } from './report/gather-report';
export type { ReportModel } from './report/report-model';
export { readSession, type AgentSession } from './session/read-session';
export { readText } from './store/read-text';
export { diagnose, type Diagnosis } from './why';
export { readRunChanges, type RunChange } from './workspace/run-changes';

// Decide
export type { ApprovalRule } from '../domain/tool';
export type { Amendment, DecisionRecord, Incident, OperatorDecision } from '../domain/operator';
export type { Acknowledgement, OperatorNote } from '../workflows/messages';
export type { Decision } from './operator/decide';
export type { RetryFailedOptions } from './operator/planned-reset';
export type { RetriedAgents, RetryOutcome } from './operator/retry-failed';

// Errors
export { InvalidInputError } from '../domain/kernel';
export { EncryptedDamagedError, KeyMissingError } from '../domain/store';
export { BatonError, type BatonErrorType } from './client-errors';
