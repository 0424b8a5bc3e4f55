import { ContinueAsNew, continueAsNew, isCancellation, proxyActivities, setHandler } from '@temporalio/workflow';
import type { AgentActivities } from '../activities/interface';
import type { RunInput } from '../domain/run/input';
import { firstProgress, type AgentProgress } from '../domain/run/progress';
import type { RunResult } from '../domain/run/result';
import { preparing } from '../temporal-config/activity-options';
import type { Agent } from './agent';
import { runAgent } from './agent-loop';
import { agentFailure } from './failures';
import { snapshotQuery } from './messages';
import { RunView } from './run-view';

/** A run's input and, after continue-as-new, how far the run had come. */
export type RunStart = RunInput & { readonly resume?: AgentProgress };

const { openRun } = proxyActivities<AgentActivities>({ ...preparing, summary: 'compose the prompt' });

/** The root agent of a run: works towards one goal until the model answers. */
export async function runWorkflow(start: RunStart): Promise<RunResult> {
  // Anyone may start a workflow with anything: what isn't an object must reach the check in `openRun`, not throw here.
  const { resume, ...input } = Object(start) as RunStart;
  const view = new RunView(input);
  let agent: Agent | undefined;
  setHandler(snapshotQuery, () => view.snapshot(agent?.progress), {
    description: 'Where the run stands: status, turn, tokens spent, tokens of the window, what it waits for.',
  });

  try {
    const progress = resume ?? firstProgress(await openRun(input));
    agent = makeAgent(input, progress, view);
    if (resume === undefined) view.index(progress, 'running');
    const answer = await runAgent(agent);
    view.close(agent.progress, 'completed');
    return { answer, turns: agent.progress.calls, usage: agent.progress.usage, transcript: agent.progress.head };
  } catch (error) {
    if (error instanceof ContinueAsNew) throw error;
    // Without an agent the input was never accepted, so nothing can be said of it.
    if (agent !== undefined) view.close(agent.progress, isCancellation(error) ? 'cancelled' : 'failed');
    throw isCancellation(error) ? error : agentFailure(error, agent?.progress);
  }
}

function makeAgent(input: RunInput, progress: AgentProgress, view: RunView): Agent {
  const agent: Agent = {
    input,
    progress,
    report: (status, waitingFor) => view.show(agent.progress, status, waitingFor),
    startOver: () => continueAsNew<typeof runWorkflow>({ ...input, resume: agent.progress }),
  };
  return agent;
}
