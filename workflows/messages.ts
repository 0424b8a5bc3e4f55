import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { AgentFiles, StatusSnapshot } from '../domain/agent';
import type { DecisionRecord, OperatorDecision } from '../domain/operator';
import type { ApplyRequest, PackedReplies, Session } from '../domain/session';

/**
 * Returns the agent's status: turn, spending, context usage, open incidents, recent decisions, and what it is waiting
 * for.
 */
export const snapshotQuery = defineQuery<StatusSnapshot>('snapshot');

/** Returns the agent's workspace and artifacts, as refs into the store. */
export const filesQuery = defineQuery<AgentFiles>('files');

/** Returns the agent's session. A shared session is returned as of the last reply that the agent got from its host. */
export const sessionQuery = defineQuery<Session>('session');

/**
 * Applies the requests of one or more writers to a shared session, in their order, and returns one reply per request.
 * Sent by activities, not by people.
 */
export const applyTurnsUpdate = defineUpdate<PackedReplies, [{ readonly requests: readonly ApplyRequest[] }]>(
  'applyTurns',
);

/** Closes a shared session. Its host accepts no more requests and completes with the final state. */
export const closeSessionSignal = defineSignal('closeSession');

/**
 * Answers an open incident: `retry`, `amend`, `skip` or `abort` for a failed step, `approve` or `deny` for a requested
 * tool. Returns the recorded decision. Rejected without effect if the incident is not open or the action does not apply
 * to it.
 */
export const operatorDecisionUpdate = defineUpdate<DecisionRecord, [OperatorDecision]>('operatorDecision');

/** Pauses the agent and all agents below it: none of them makes a model call until it is resumed. */
export const pauseUpdate = defineUpdate<Acknowledgement, [OperatorNote?]>('pause');

/** Resumes a paused agent and all agents below it. */
export const resumeUpdate = defineUpdate<Acknowledgement, [OperatorNote?]>('resume');

/** Queues a steering message, which is sent to the model with its next turn. */
export const steerUpdate = defineUpdate<Acknowledgement, [OperatorNote & { readonly text: string }]>('steer');

/** Optional fields of a message from an operator. They are recorded in the agent's history. */
export interface OperatorNote {
  /** Name of the operator. */
  readonly by?: string;
  /** Reason for the message. */
  readonly note?: string;
}

/** Result of an Update that takes effect later. */
export interface Acknowledgement {
  /** Short description of the agent's state after the Update, for people. */
  readonly state: string;
}

/** Sent by an agent to each of its delegations when it is paused or resumed. */
export const setPausedSignal = defineSignal<[{ readonly paused: boolean }]>('setPaused');

/**
 * Sent by a delegation to its parent when an incident opens or closes: whether the delegation itself waits for an
 * operator (`self`), and how many agents below it do (`below`).
 */
export const parkedSignal =
  defineSignal<[{ readonly delegationId: string; readonly self: boolean; readonly below: number }]>('parked');
