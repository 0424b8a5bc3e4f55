// Workflows that behave like agents towards operators, but without a model. Their input determines what they do.
import { ApplicationFailure, TypedSearchAttributes } from '@temporalio/common';
import {
  condition,
  defineQuery,
  defineUpdate,
  executeChild,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { RunResult, StatusSnapshot } from '../../../domain/agent';
import type { DelegationResult } from '../../../domain/delegation';
import type { Usage } from '../../../domain/model';
import type { DecisionRecord, Incident } from '../../../domain/operator';
import { searchAttributes } from '../../../temporal-config/search-attributes';
import type * as messages from '../../../workflows/messages';

// Only types of the engine: each of hundreds of executions would evaluate its schemas.
const snapshotQuery: typeof messages.snapshotQuery = defineQuery('snapshot');
const pauseUpdate: typeof messages.pauseUpdate = defineUpdate('pause');
const resumeUpdate: typeof messages.resumeUpdate = defineUpdate('resume');
const steerUpdate: typeof messages.steerUpdate = defineUpdate('steer');
const operatorDecisionUpdate: typeof messages.operatorDecisionUpdate = defineUpdate('operatorDecision');
const noUsage: Usage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 };

export interface Part {
  readonly runId: string;
  /** Its delegations, by delegation id. */
  readonly children?: Readonly<Record<string, Omit<Part, 'runId'>>>;
  readonly failsWith?: string;
  /** Incidents to open, one after the other. */
  readonly incidents?: readonly Partial<Incident>[];
  /** Waits until it is steered. */
  readonly waits?: boolean;
  /** Number of agents below it that it reports as waiting for an operator. */
  readonly parkedBelow?: number;
  /** Whether it fails when a child fails. */
  readonly fragile?: boolean;
}

export const runWorkflow = play;

/** A delegation, whose result has another shape than that of a run. */
export async function delegationWorkflow(part: Part): Promise<DelegationResult> {
  await play(part);
  return { summary: { text: 'Done.' }, spent: { turns: 1, usage: { ...noUsage, input: 1_200 }, microUsd: 0 } };
}

async function play(part: Part): Promise<RunResult> {
  const state = { incidents: (part.incidents ?? []).map(incidentOf), decisions: [] as DecisionRecord[], paused: false };
  const steered: string[] = [];
  setHandler(snapshotQuery, () => snapshot(part, state, steered));
  setHandler(pauseUpdate, () => {
    state.paused = true;
    index(part, 'paused');
    return { state: 'paused' };
  });
  setHandler(resumeUpdate, () => ((state.paused = false), { state: 'goes on' }));
  setHandler(steerUpdate, ({ text }) => (steered.push(text), { state: 'told with the next turn' }));
  setHandler(
    operatorDecisionUpdate,
    ({ incident, action, by = '', note = '' }) => {
      const record = { incident, action, by, note, at: '2026-11-16T00:00:00.000Z' };
      state.incidents = state.incidents.filter(({ id }) => id !== incident);
      state.decisions.push(record);
      return record;
    },
    {
      validator: ({ incident }) => {
        if (!state.incidents.some(({ id }) => id === incident))
          throw ApplicationFailure.nonRetryable(`there is no incident "${incident}"`, 'Input.Invalid');
      },
    },
  );
  index(part, state.incidents.length > 0 ? 'needs_operator' : 'running');
  await children(part);
  await condition(() => state.incidents.length === 0 && !(part.waits === true && steered.length === 0));
  if (part.failsWith !== undefined) throw ApplicationFailure.nonRetryable(`it said ${part.failsWith}`, part.failsWith);
  index(part, 'completed');
  return {
    answer: { text: 'Done.' },
    turns: 1,
    usage: { ...noUsage, input: 1_200 },
    delegatedUsage: noUsage,
    microUsd: 0,
    own: { turns: 1, usage: { ...noUsage, input: 1_200 }, microUsd: 0 },
    withDelegations: { turns: 1, usage: { ...noUsage, input: 1_200 }, microUsd: 0 },
    transcript: { hash: '0'.repeat(64), bytes: 0, mediaType: 'application/json' },
  };
}

async function children({ runId, children = {}, fragile = false }: Part): Promise<void> {
  const results = await Promise.allSettled(
    Object.entries(children).map(([id, child]) =>
      executeChild<typeof delegationWorkflow>('delegationWorkflow', {
        workflowId: `${workflowInfo().workflowId}/${id}`,
        args: [{ ...child, runId }],
        typedSearchAttributes: new TypedSearchAttributes([{ key: searchAttributes.run, value: runId }]),
      }),
    ),
  );
  const failed = results.find((result) => result.status === 'rejected');
  if (fragile && failed !== undefined) {
    const cause = failed.reason as Error;
    throw ApplicationFailure.create({ message: 'passed on', type: 'Agent.Failed', nonRetryable: true, cause });
  }
}

function index({ runId }: Part, status: string): void {
  upsertSearchAttributes([
    { key: searchAttributes.run, value: runId },
    { key: searchAttributes.status, value: status },
  ]);
}

function incidentOf(wish: Partial<Incident>, at: number): Incident {
  return {
    id: `i${at + 1}`,
    kind: 'failure',
    type: 'Model.Unauthorized',
    message: 'the key was not accepted',
    since: '2026-11-16T00:00:00.000Z',
    attempt: 1,
    step: 'turn 4',
    delegation: null,
    tool: null,
    ...wish,
  };
}

function snapshot(
  { runId, parkedBelow = 0 }: Part,
  { incidents, decisions, paused }: Pick<StatusSnapshot, 'incidents' | 'decisions' | 'paused'>,
  steered: readonly string[],
): StatusSnapshot {
  return {
    runId,
    status: incidents.length > 0 ? 'needs operator' : 'thinking',
    turn: 4,
    maxTurns: 10,
    model: 'none',
    usage: { ...noUsage, input: 1_200 },
    delegatedUsage: noUsage,
    delegations: 0,
    occupancy: 50_000,
    window: 200_000,
    waitingFor: steered.at(-1) ?? 'a word',
    storeId: null,
    prompt: null,
    transcript: null,
    skill: null,
    paused,
    incidents,
    parkedBelow,
    decisions,
    handoffs: [],
    spent: { usage: { ...noUsage, input: 1_200 }, microUsd: 12_300, turns: 4 },
    budget: null,
    injectedTokens: 0,
    activeTokens: 0,
  };
}
