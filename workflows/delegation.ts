import { ContinueAsNew, continueAsNew, isCancellation, proxyActivities } from '@temporalio/workflow';
import type { AgentActivities } from '../activities/interface';
import { settingsOf } from '../domain/agent/settings';
import type { DelegationResult, DelegationStart } from '../domain/dispatch/delegation';
import { delegationResult } from '../domain/dispatch/result';
import { firstProgress, type AgentProgress } from '../domain/run/progress';
import type { SessionSchema, SessionSnapshot } from '../domain/session';
import { preparing } from '../temporal-config/activity-options';
import { withTuning, type Agent } from './agent';
import { runAgent } from './agent-loop';
import { AgentView } from './agent-view';
import { agentFailure } from './failures';
import { hydrated } from './hydrate';
import { shorten } from './shorten';

type ResumableDelegation = DelegationStart & { readonly resume?: AgentProgress };

export type DelegationWorkflow = (start: ResumableDelegation) => Promise<DelegationResult>;

/** One delegation: an agent that starts from its parent's snapshot and leaves nothing behind but its result. */
export async function runDelegation(
  schema: SessionSchema,
  { resume, ...start }: ResumableDelegation,
): Promise<DelegationResult> {
  let agent: Agent | undefined;
  const view = new AgentView(start, () => agent?.progress);
  try {
    const baseline = hydrated(schema, await baselineOf(start));
    agent = makeAgent(schema, start, resume ?? firstProgress(start.opened, baseline, start.workspace), view);
    const reply = await runAgent(agent);
    // What is shared needs no summary: the batch shows as much of an output as there is room for.
    const strict = start.opened.output !== undefined;
    const summary = agent.shared === null && !strict ? await shorten(agent, reply) : reply.text;
    view.close('completed');
    return delegationResult(start, agent.progress, baseline, summary);
  } catch (error) {
    if (error instanceof ContinueAsNew) throw error;
    if (agent !== undefined) view.close(isCancellation(error) ? 'cancelled' : 'failed');
    throw isCancellation(error) ? error : agentFailure(error, agent?.progress);
  }
}

async function baselineOf({ snapshot: transfer, opened, ...settings }: DelegationStart): Promise<SessionSnapshot> {
  if ('inline' in transfer) return transfer.inline;
  const { loadSnapshot } = proxyActivities<AgentActivities>(withTuning(preparing, settings, 'load the session'));
  return loadSnapshot({ runId: settings.runId, storeId: opened.storeId, ref: transfer.ref });
}

function makeAgent(schema: SessionSchema, start: DelegationStart, progress: AgentProgress, view: AgentView): Agent {
  const { delegationId, depth } = start;
  const agent: Agent = {
    settings: settingsOf(start),
    schema,
    delegationId,
    depth,
    shared: start.sharedSession === null ? null : { host: start.sharedSession, sent: 0, answered: Promise.resolve() },
    progress,
    report: (status, waitingFor) => {
      view.show(status, waitingFor);
    },
    startOver: () => continueAsNew<DelegationWorkflow>({ ...start, resume: agent.progress }),
  };
  return agent;
}
