import type { Client } from '@temporalio/client';
import { decodeArrayFromPayloads } from '@temporalio/common/lib/internal-non-workflow';
import { z } from 'zod';
import { defaultLimits } from '../domain/agent';
import { runWorkflowId } from '../domain/kernel';
import { planSlice } from '../domain/session/slices/plan-slice';
import { applySessionActivity, recordsOf, sessionWorkflowContract } from '../domain/session';
import { sessionQuery } from '../workflows/messages';
import type { Benchmark, Row } from './runner/benchmark';
import { playRounds } from './runner/pairs';
import { measured } from './runner/rows';
import type { BenchEnvironment } from './support/environment';
import { newRunId, playRun } from './support/runs';
import { quantile } from './support/statistics';
import { batonWorker } from './support/workers';
import { sessionWritesGoal, writesPerWriter } from './workloads';

/** How long writes to a shared session took when all its writers write at the same moment. In milliseconds. */
interface SessionWrites {
  /** From the moment that a write was scheduled, or sent by its turn, until its writer had the reply. */
  readonly median: number;
  readonly p99: number;
  /** From the model's answer with a write until the next call of the same writer: all that a write takes an agent. */
  readonly turnMedian: number;
  readonly turnP99: number;
  /** Updates that the host of the session handled. */
  readonly updates: number;
  /** Processor time of the worker's process per write, with everything that its turn needs. */
  readonly cpuPerWrite: number;
}

const name = 'session.writes';

/** Writers of one session that all write at the same moment: a session at its worst. */
export const sessionWrites: Benchmark = {
  names: [name],
  about: 'Time that a write takes when 50 agents write to one session at the same moment: 99th percentile.',
  async run(context) {
    const environment = await context.environment('session-writes');
    environment.run(await batonWorker(environment));
    const writers = context.quick ? 3 : 50;
    const { writes: all } = await playRounds(
      context,
      context.rounds(5),
      { writes: () => playWriters(environment, writers) },
      ({ p99, turnP99, updates }) =>
        `p99 ${p99.toFixed(0)} ms, of the turn ${turnP99.toFixed(0)} ms, ${updates} updates`,
    );
    const row = (suffix: string, unit: string, figure: (writes: SessionWrites) => number): Row =>
      measured({ name: `${name}${suffix}`, unit, wants: 'less' }, all.map(figure));
    return [
      row('', 'ms', ({ p99 }) => p99),
      row('.turn', 'ms', ({ turnP99 }) => turnP99),
      row('.cpu', 'CPU ms/write', ({ cpuPerWrite }) => cpuPerWrite),
    ];
  },
};

/** Plays one batch of writers. Fails if a write was lost or applied twice, or if its duration is not known. */
async function playWriters(environment: BenchEnvironment, writers: number): Promise<SessionWrites> {
  const runId = newRunId();
  const cpu = process.cpuUsage();
  const handle = await playRun(environment, {
    runId,
    goal: sessionWritesGoal(writers, runId),
    model: { name: 'claude-sonnet-5-5', maxTokens: 100_000, window: 1_000_000 },
    limits: { ...defaultLimits, maxParallel: writers },
  });
  const { user, system } = process.cpuUsage(cpu);
  const { client } = environment;
  const plan = recordsOf(await handle.query(sessionQuery), planSlice).map(({ title }) => title);
  if (plan.length !== writers * writesPerWriter || new Set(plan).size !== plan.length)
    throw new Error(`${plan.length} writes of ${writers * writesPerWriter} are in the session`);
  const children = await childrenOf(client, runWorkflowId(runId));
  const ofWrites = (await Promise.all(children.map(({ id }) => writesOf(client, id)))).flat();
  // The time of some writes, or that of the whole turn, would be another figure. A write that was tried twice has two.
  if (ofWrites.length < plan.length)
    throw new Error(`Histories have the duration of ${ofWrites.length} writes of ${plan.length}`);
  const host = children.find(({ type }) => type === sessionWorkflowContract.name);
  const turns = JSON.parse(textOf(await handle.result())) as Pick<SessionWrites, 'turnMedian' | 'turnP99'>;
  return {
    median: quantile(ofWrites, 0.5),
    p99: quantile(ofWrites, 0.99),
    ...turns,
    updates: host === undefined ? 0 : await updatesOf(client, host.id),
    cpuPerWrite: (user + system) / 1_000 / plan.length,
  };
}

function textOf({ answer }: { readonly answer: object }): string {
  if ('text' in answer && typeof answer.text === 'string') return answer.text;
  throw new Error('The answer is too long to be in the result');
}

async function childrenOf(client: Client, workflowId: string): Promise<{ id: string; type: string }[]> {
  const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
  return (events ?? []).flatMap(({ childWorkflowExecutionStartedEventAttributes: started }) => {
    const id = started?.workflowExecution?.workflowId;
    return id == null ? [] : [{ id, type: started?.workflowType?.name ?? '' }];
  });
}

async function updatesOf(client: Client, workflowId: string): Promise<number> {
  const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
  return (events ?? []).filter((event) => event.workflowExecutionUpdateCompletedEventAttributes).length;
}

/** How long the writes of an agent took: those that were activities of their own, and those that turns made. */
async function writesOf(client: Client, workflowId: string): Promise<number[]> {
  const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
  const scheduled = new Map<string, number>();
  const times = (events ?? []).map(async (event) => {
    const begun = event.activityTaskScheduledEventAttributes;
    if (begun?.activityType?.name === applySessionActivity.name)
      scheduled.set(String(event.eventId), msOf(event.eventTime));
    const completed = event.activityTaskCompletedEventAttributes;
    const start = scheduled.get(String(completed?.scheduledEventId));
    if (start !== undefined) return [msOf(event.eventTime) - start];
    const [result] = await decodeArrayFromPayloads(client.options.loadedDataConverter, completed?.result?.payloads);
    return z.object({ applyMs: z.number() }).safeParse(result).data?.applyMs ?? [];
  });
  return (await Promise.all(times)).flat();
}

function msOf(time: { seconds?: unknown; nanos?: number | null } | null | undefined): number {
  return Number(time?.seconds ?? 0) * 1_000 + (time?.nanos ?? 0) / 1e6;
}
