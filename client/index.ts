// What a program needs to start runs and look at them: `baton`.
export { defaultLimits, type AgentLimits } from '../domain/agent/settings';
export { chooseModel } from '../domain/model/known-models';
export { parseRelay, type RelayDefinition, type RelayInput, type RelayResult } from '../domain/relay';
export type { RunInput } from '../domain/run/input';
export type { AgentFiles, RunResult, RunSnapshot } from '../domain/run/result';
export { openFileStore } from '../store/file-store/open-file-store';
export { connectClient, type ConnectedClient } from '../temporal-config/node/connect-client';
export { resolveConnection, type ResolvedConnection } from '../temporal-config/node/connection';
export { readSettings, type Settings } from '../temporal-config/node/settings';
export { filesQuery, snapshotQuery } from '../workflows/messages';
export { auditRun, type AuditedAgent } from './audit/audit-run';
export { recordedAgent, type RecordedAgent } from './history';
export { newRunId } from './new-run-id';
export { outcomeOf, type RunOutcome } from './outcome';
export { describeRun, snapshotOf } from './run-view';
export { startRelay } from './start-relay';
export { startRun, type StartedRun } from './start-run';
