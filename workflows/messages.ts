import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { AgentFiles, RunSnapshot } from '../domain/run/result';
import type { Session } from '../domain/session';
import type { PackedReplies } from '../domain/shared-session/answers';
import type { ApplyRequest } from '../domain/shared-session/protocol';

/** Where an agent stands now. */
export const snapshotQuery = defineQuery<RunSnapshot>('snapshot');

/** The files and artifacts of an agent, as refs into the store. */
export const filesQuery = defineQuery<AgentFiles>('files');

/** The agent's session as it has it: for a shared one, as of its last turn. */
export const sessionQuery = defineQuery<Session>('session');

/** What agents want changed in a shared session, several at a time; answered in the same order. */
export const applyTurnsUpdate = defineUpdate<PackedReplies, [{ readonly requests: readonly ApplyRequest[] }]>(
  'applyTurns',
);

/** Ends a shared session: its host returns the final state. */
export const closeSessionSignal = defineSignal('closeSession');
