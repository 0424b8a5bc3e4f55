import { continueAsNew, proxyActivities } from '@temporalio/workflow';
import type { AgentActivities } from '../../activities/interface';
import {
  type AgentProgress,
  type AgentSettings,
  initialProgress,
  type OpenedAgent,
  type RunInput,
  type RunResult,
  settingsOf,
} from '../../domain/agent';
import { emptySession, type SessionSchema } from '../../domain/session';
import type { SpilledText } from '../../domain/store';
import { shortActivityOptions } from '../../temporal-config/activity-options';
import { mountRunFolder } from '../workspace/mount-and-fold';
import type { Agent, Resumed } from './agent';
import { beginAgent } from './agent-lifecycle';
import { runAgent } from './agent-loop';

/** A run's input and, after continue-as-new, the progress of its root agent. */
export type RunStart = RunInput & { readonly resume?: Resumed };

/** Signature of `runWorkflow`. */
export type RunWorkflow = (start: RunStart) => Promise<RunResult>;

/** Runs the root agent of a run, which works towards one goal until the model answers. */
export function runRootAgent(schema: SessionSchema, start: RunStart): Promise<RunResult> {
  // A client may start a workflow with any input. If it is not an object, it must fail in `openRun`'s check, not here.
  const { resume, ...input } = Object(start) as RunStart;
  return beginAgent({
    schema,
    settings: settingsOf(input),
    ...rootPlace,
    resumed: resume,
    open: () => open(schema, input),
    work: async (agent) => runResult(agent, (await runAgent(agent)).text),
    skipped: (agent, placeholder) => runResult(agent, { text: placeholder }),
    startOver: (resumed) => continueAsNew<RunWorkflow>({ ...input, resume: resumed }),
  });
}

async function open(schema: SessionSchema, input: RunInput): Promise<AgentProgress> {
  const { openRun } = proxyActivities<AgentActivities>({ ...shortActivityOptions, summary: 'compose the prompt' });
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

/** Properties of every root: it has no parent. */
export const rootPlace = { delegationId: null, depth: 0, sharedSession: null } as const;

/** Creates the initial progress of a root: an empty session, and the run's folder as its workspace. */
export async function initialRootProgress(
  schema: SessionSchema,
  input: AgentSettings & { readonly workspace?: { readonly root: string } | undefined },
  opened: OpenedAgent,
): Promise<AgentProgress> {
  const workspace = await mountRunFolder(input, input.workspace?.root, opened.storeId);
  return initialProgress(opened, emptySession(schema), workspace, input.budget);
}
