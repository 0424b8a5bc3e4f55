import { continueAsNew, proxyActivities } from '@temporalio/workflow';
import type { AgentActivities } from '../../activities/interface';
import {
  type AgentProgress,
  type AgentSettings,
  initialProgress,
  type OpenedAgent,
  type RunInput,
  type RunResult,
  type RunStart,
} from '../../domain/agent';
import { emptySession, type SessionSchema } from '../../domain/session';
import type { SpilledText } from '../../domain/store';
import { shortActivityOptions } from '../../temporal-config/activity-options';
import { requireRootId } from '../workflow-id';
import { mountRunFolder } from '../workspace/mount-and-fold';
import { activityOptions, type Agent } from './agent';
import { type AgentPlace, beginAgent } from './agent-lifecycle';
import { runAgent } from './agent-loop';

/** Signature of `runWorkflow`. */
export type RunWorkflow = (start: RunStart) => Promise<RunResult>;

/** Runs the root agent of a run, which works towards one goal until the model answers. */
export async function runRootAgent(schema: SessionSchema, { resume, ...input }: RunStart): Promise<RunResult> {
  requireRootId(input.runId);
  const life = beginAgent(schema, { ...input, ...rootPlace }, resume);
  const end = await life.until(async () => {
    const agent = life.resumed ?? life.open(await openRoot(schema, input));
    return runAgent(agent);
  });
  if (end.kind === 'continuesAsNew') return continueAsNew<RunWorkflow>({ ...input, resume: life.carryOver() });
  return runResult(life.agent, end.text);
}

async function openRoot(schema: SessionSchema, input: RunInput): Promise<AgentProgress> {
  const { openRun } = proxyActivities<AgentActivities>(
    activityOptions(shortActivityOptions, input, 'compose the prompt'),
  );
  return initialRootProgress(schema, input, await openRun(input));
}

/** Builds the result of a run from its root's progress. */
export function runResult({ progress }: Agent, answer: SpilledText): RunResult {
  const { calls, ledger, head } = progress;
  return {
    answer,
    turns: calls,
    usage: ledger.own.usage,
    delegatedUsage: ledger.delegated.usage,
    microUsd: ledger.own.microUsd + ledger.delegated.microUsd,
    transcript: head,
  };
}

/** Place of every root: it has no parent. */
export const rootPlace: AgentPlace = { delegationId: null, depth: 0, sharedSession: null, paused: false };

/** Creates the initial progress of a root: an empty session, and the run's folder as its workspace. */
export async function initialRootProgress(
  schema: SessionSchema,
  input: AgentSettings & { readonly workspace?: { readonly root: string } | undefined },
  opened: OpenedAgent,
): Promise<AgentProgress> {
  const workspace = await mountRunFolder(input, input.workspace?.root, opened.storeId);
  return initialProgress(opened, emptySession(schema), workspace, input.budget);
}
