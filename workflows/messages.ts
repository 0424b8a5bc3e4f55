import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { OperatorDecision } from '../domain/operator/decision';
import type { DecisionRecord } from '../domain/operator/incident';
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

/** Answers an incident of an agent that waits for an operator. */
export const operatorDecisionUpdate = defineUpdate<DecisionRecord, [OperatorDecision]>('operatorDecision');

/** Stops an agent and everything below it before the next model call. */
export const pauseUpdate = defineUpdate<Acknowledgement, [OperatorWords?]>('pause');

/** Lets a paused agent go on, and everything below it. */
export const resumeUpdate = defineUpdate<Acknowledgement, [OperatorWords?]>('resume');

/** Words that the model is told with its next turn. */
export const steerUpdate = defineUpdate<Acknowledgement, [OperatorWords & { readonly text: string }]>('steer');

export interface OperatorWords {
  readonly by?: string;
  readonly note?: string;
}

export interface Acknowledgement {
  /** What the agent does now, in a few words. */
  readonly state: string;
}

/** From an agent to its delegations: whether to go on. */
export const setPausedSignal = defineSignal<[{ readonly paused: boolean }]>('setPaused');

/** From a delegation to the agent that made it: how many wait for an operator there, itself and below. */
export const parkedSignal =
  defineSignal<[{ readonly delegationId: string; readonly self: boolean; readonly below: number }]>('parked');
