import { ContinueAsNew, continueAsNew, isCancellation, proxyActivities } from '@temporalio/workflow';
import type { AgentActivities } from '../activities/interface';
import { settingsOf } from '../domain/agent/settings';
import type { RunInput } from '../domain/run/input';
import { firstProgress, type AgentProgress, type OpenedAgent, type WorkspaceState } from '../domain/run/progress';
import type { RunResult } from '../domain/run/result';
import { emptySession, type SessionSchema } from '../domain/session';
import { mountingWorkspace, preparing } from '../temporal-config/activity-options';
import { withTuning, type Agent } from './agent';
import { runAgent } from './agent-loop';
import { AgentView } from './agent-view';
import { agentFailure } from './failures';

/** A run's input and, after continue-as-new, how far the run had come. */
export type RunStart = RunInput & { readonly resume?: AgentProgress };

export type RunWorkflow = (start: RunStart) => Promise<RunResult>;

/** The root agent of a run: works towards one goal until the model answers. */
export async function runRoot(schema: SessionSchema, start: RunStart): Promise<RunResult> {
  // Anyone may start a workflow with anything: what isn't an object must reach the check in `openRun`, not throw here.
  const { resume, ...input } = Object(start) as RunStart;
  let agent: Agent | undefined;
  const view = new AgentView(input, () => agent?.progress);
  try {
    const progress = resume ?? (await open(schema, input));
    agent = makeAgent(schema, input, progress, view);
    if (resume === undefined) view.index('running', 0);
    const { text } = await runAgent(agent);
    view.close('completed');
    const { calls, usage, delegatedUsage, head } = agent.progress;
    return { answer: text, turns: calls, usage, delegatedUsage, transcript: head };
  } catch (error) {
    if (error instanceof ContinueAsNew) throw error;
    // Without an agent the input was never accepted, so nothing can be said of it.
    if (agent !== undefined) view.close(isCancellation(error) ? 'cancelled' : 'failed');
    throw isCancellation(error) ? error : agentFailure(error, agent?.progress);
  }
}

async function open(schema: SessionSchema, input: RunInput): Promise<AgentProgress> {
  const { openRun } = proxyActivities<AgentActivities>({ ...preparing, summary: 'compose the prompt' });
  const opened = await openRun(input);
  return firstProgress(opened, emptySession(schema), await mount(input, opened));
}

export async function mount(
  { workspace, ...settings }: RunInput,
  { storeId }: OpenedAgent,
): Promise<WorkspaceState | null> {
  if (workspace === undefined) return null;
  const { mountWorkspace } = proxyActivities<AgentActivities>(
    withTuning(mountingWorkspace, settings, 'mount the workspace'),
  );
  const root = await mountWorkspace({ runId: settings.runId, storeId, folder: workspace.root });
  return { base: root, root, changes: [] };
}

function makeAgent(schema: SessionSchema, input: RunInput, progress: AgentProgress, view: AgentView): Agent {
  const agent: Agent = {
    settings: settingsOf(input),
    schema,
    delegationId: null,
    depth: 0,
    shared: null,
    progress,
    report: (status, waitingFor) => {
      view.show(status, waitingFor);
    },
    startOver: () => continueAsNew<RunWorkflow>({ ...input, resume: agent.progress }),
  };
  return agent;
}
