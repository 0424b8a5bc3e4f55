import { ContinueAsNew, isCancellation } from '@temporalio/workflow';
import type { AgentSettings } from '../domain/agent/settings';
import { emptyDesk, type AgentProgress } from '../domain/run/progress';
import type { SessionSchema } from '../domain/session';
import type { Agent, Resumed } from './agent';
import { AgentView } from './agent-view';
import { inForce } from './amend';
import { withinDeadline } from './deadline';
import { agentFailure } from './failures';
import { Skipped } from './hold';
import { OperatorDesk } from './operator-desk';

/** Each promise costs a workflow as much as what is done in it, so nothing waits that needn't. */
export type NowOrLater<T> = T | Promise<T>;

/** A workflow that is an agent: the root of a run, or a delegation. */
export interface AgentWork<Result> {
  readonly schema: SessionSchema;
  readonly settings: AgentSettings;
  readonly delegationId: string | null;
  readonly depth: number;
  /** Host of the session that it shares with others. */
  readonly sharedSession: string | null;
  /** Whether its first execution begins paused. */
  readonly paused?: boolean | undefined;
  readonly resumed: Resumed | undefined;
  /** What it starts from; called in its first execution only. */
  open(): NowOrLater<AgentProgress>;
  work(agent: Agent): NowOrLater<Result>;
  /** The result when an operator gave a placeholder for it. */
  skipped(agent: Agent, placeholder: string): Result;
  startOver(resumed: Resumed): Promise<never>;
}

/** Does an agent's work, within its deadline, and shows the outside how it goes and how it ended. */
export async function asAgent<Result>(work: AgentWork<Result>): Promise<Result> {
  const { settings, resumed } = work;
  const desk = new OperatorDesk(settings, resumed?.desk ?? { ...emptyDesk, paused: work.paused === true });
  let agent: Agent | undefined;
  const view = new AgentView(settings, desk, () => agent, resumed !== undefined);
  // One that goes on is there before anything can end it: what it spent must not be lost.
  if (resumed !== undefined) agent = makeAgent(work, resumed.progress, desk, view);
  try {
    const result = await withinDeadline(settings.deadline, async () => {
      if (agent === undefined) {
        const opened = work.open();
        agent = makeAgent(work, opened instanceof Promise ? await opened : opened, desk, view);
      }
      view.begin(resumed === undefined && work.depth === 0);
      return work.work(agent);
    });
    view.close('completed');
    return result;
  } catch (error) {
    if (error instanceof ContinueAsNew) throw error;
    if (error instanceof Skipped && agent !== undefined) {
      view.close('completed');
      return work.skipped(agent, error.placeholder);
    }
    // Without an agent the input was never accepted, so nothing can be said of it.
    if (agent !== undefined) view.close(isCancellation(error) ? 'cancelled' : 'failed');
    throw isCancellation(error) ? error : agentFailure(error, agent?.progress);
  }
}

function makeAgent<Result>(
  { schema, settings, delegationId, depth, sharedSession, startOver }: AgentWork<Result>,
  progress: AgentProgress,
  desk: OperatorDesk,
  view: AgentView,
): Agent {
  return {
    get settings() {
      return inForce(settings, this.progress.changes);
    },
    schema,
    delegationId,
    depth,
    shared: sharedSession === null ? null : { host: sharedSession, sent: 0, answered: Promise.resolve() },
    progress,
    desk,
    report: (status, waitingFor) => {
      view.show(status, waitingFor);
    },
    async startOver() {
      await desk.allTold();
      return startOver({ progress: this.progress, desk: desk.state });
    },
  };
}
