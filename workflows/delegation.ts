import { ContinueAsNew, continueAsNew, isCancellation, proxyActivities } from '@temporalio/workflow';
import type { AgentActivities } from '../activities/interface';
import { settingsOf } from '../domain/agent/settings';
import type { DelegationResult, DelegationStart } from '../domain/dispatch/delegation';
import { delegationResult } from '../domain/dispatch/result';
import { DomainError } from '../domain/errors';
import { firstProgress, type AgentProgress } from '../domain/run/progress';
import { hydrate, snapshot, type Session, type SessionSchema, type SessionSnapshot } from '../domain/session';
import { preparing } from '../temporal-config/activity-options';
import { withTuning, type Agent } from './agent';
import { runAgent } from './agent-loop';
import { AgentView } from './agent-view';
import { agentFailure, failure } from './failures';
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
    const summary = await shorten(agent, await runAgent(agent));
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

/** All or nothing, and then compared: a child that started from anything else than its parent's state must not start. */
function hydrated(schema: SessionSchema, from: SessionSnapshot): Session {
  try {
    const session = hydrate(schema, from);
    if (JSON.stringify(snapshot(schema, session).slices) === JSON.stringify(from.slices)) return session;
  } catch (error) {
    if (error instanceof DomainError) throw failure(error.type, error.message);
    throw error;
  }
  throw failure('Session.SnapshotIncompatible', 'The hydrated session is not the one that was handed over.');
}

function makeAgent(schema: SessionSchema, start: DelegationStart, progress: AgentProgress, view: AgentView): Agent {
  const { delegationId, depth } = start;
  const agent: Agent = {
    settings: settingsOf(start),
    schema,
    delegationId,
    depth,
    progress,
    report: (status, waitingFor) => {
      view.show(status, waitingFor);
    },
    startOver: () => continueAsNew<DelegationWorkflow>({ ...start, resume: agent.progress }),
  };
  return agent;
}
