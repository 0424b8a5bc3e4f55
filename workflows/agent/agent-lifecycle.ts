import { CancellationScope, ContinueAsNew, isCancellation } from '@temporalio/workflow';
import type { AgentProgress, AgentSettings } from '../../domain/agent';
import { emptyOperatorState } from '../../domain/operator';
import type { SessionSchema } from '../../domain/session';
import { millisecondsUntil } from '../clock';
import { agentFailure, failure } from '../failures';
import { effectiveSettings } from '../operator/effective-settings';
import { OperatorInbox } from '../operator/operator-inbox';
import { SkippedByOperator } from '../operator/operator-retry';
import type { Agent, Resumed } from './agent';
import { AgentView } from './agent-view';

/** A value or a promise of it. A promise costs a workflow as much as the work inside, so needless ones are avoided. */
export type MaybePromise<T> = T | Promise<T>;

/** Parts in which the kinds of agent workflows differ: the root of a run, the root of a relay, a delegation. */
export interface AgentLife<Result> {
  readonly schema: SessionSchema;
  readonly settings: AgentSettings;
  /** Null for a root. */
  readonly delegationId: string | null;
  /** Number of agents above it; 0 for a root. */
  readonly depth: number;
  /** Workflow id of the host of a shared session; null for an isolated session. */
  readonly sharedSession: string | null;
  /** Whether the first execution starts paused. */
  readonly paused?: boolean | undefined;
  /** State of the previous execution; undefined in the first. */
  readonly resumed: Resumed | undefined;
  /** Creates the initial progress. Called in the first execution only. */
  open(): MaybePromise<AgentProgress>;
  /** Does the agent's work. Called in every execution. */
  work(agent: Agent): MaybePromise<Result>;
  /** Builds the result when an operator skipped a step and supplied a placeholder. */
  skipped(agent: Agent, placeholder: string): Result;
  /** Continues as new with this state. */
  startOver(resumed: Resumed): Promise<never>;
}

/** Runs an agent within its deadline, and publishes its status and how it ended. */
export async function beginAgent<Result>(work: AgentLife<Result>): Promise<Result> {
  const { settings, resumed } = work;
  const desk = new OperatorInbox(settings, resumed?.desk ?? { ...emptyOperatorState, paused: work.paused === true });
  let agent: Agent | undefined;
  const view = new AgentView(settings, desk, () => agent, resumed !== undefined);
  // A continued agent exists before anything can end it, so that a failure reports what it had spent.
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
    if (error instanceof SkippedByOperator && agent !== undefined) {
      view.close('completed');
      return work.skipped(agent, error.placeholder);
    }
    // Until the agent is opened, its input is not accepted and no status is published.
    if (agent !== undefined) view.close(isCancellation(error) ? 'cancelled' : 'failed');
    throw isCancellation(error) ? error : agentFailure(error, agent?.progress);
  }
}

function makeAgent<Result>(
  { schema, settings, delegationId, depth, sharedSession, startOver }: AgentLife<Result>,
  progress: AgentProgress,
  desk: OperatorInbox,
  view: AgentView,
): Agent {
  return {
    get settings() {
      return effectiveSettings(settings, this.progress.changes);
    },
    schema,
    delegationId,
    depth,
    shared: sharedSession === null ? null : { host: sharedSession, sent: 0, answered: Promise.resolve() },
    progress,
    inbox: desk,
    report: (status, waitingFor) => {
      view.show(status, waitingFor);
    },
    async startOver() {
      await desk.allSignalsSent();
      return startOver({ progress: this.progress, desk: desk.state });
    },
  };
}

/** Runs the work until the deadline. When it passes, everything in progress is cancelled, delegations included. */
function withinDeadline<T>(deadline: string | undefined, work: () => Promise<T>): Promise<T> {
  return deadline === undefined ? work() : endedAt(deadline, work);
}

async function endedAt<T>(deadline: string, work: () => Promise<T>): Promise<T> {
  const remaining = millisecondsUntil(deadline);
  const expired = failure('Budget.Exceeded', `The deadline ${deadline} has passed.`);
  if (remaining <= 0) throw expired;
  const outer = CancellationScope.current();
  try {
    return await CancellationScope.withTimeout(remaining, work);
  } catch (error) {
    if (isCancellation(error) && !outer.consideredCancelled) throw expired;
    throw error;
  }
}
