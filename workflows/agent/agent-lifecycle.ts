import { DeterminismViolationError } from '@temporalio/workflow';
import { type AgentProgress, type AgentSettings, type ResumedAgent, settingsOf } from '../../domain/agent';
import { emptyOperatorState, type OperatorState } from '../../domain/operator';
import type { SessionSchema } from '../../domain/session';
import type { SpilledText } from '../../domain/store';
import { UnreportedSpending } from '../budget/unreported';
import { workflowNowMs } from '../clock';
import { Semaphore } from '../delegation/semaphore';
import { agentFailure, cancellationOf, isCancelled, rootCause } from '../failures';
import { hasOpenParent, parentCheckMs } from '../open-parent';
import { effectiveSettings } from '../operator/effective-settings';
import { notifyOperators } from '../operator/notify-operators';
import { OperatorInbox } from '../operator/operator-inbox';
import { SkippedByOperator } from '../operator/operator-retry';
import type { Agent } from './agent';
import { AgentView } from './agent-view';
import { isNotable, recordEnding } from './record-ending';
import { TimeLimit } from './time-limit';

/** The agent has finished its work. */
export interface Answered {
  readonly kind: 'answered';
  readonly text: SpilledText;
  /** The parsed answer as canonical JSON; omitted for a plain text. */
  readonly value?: SpilledText;
}

/** An operator skipped a step of the agent's own work, and supplied a placeholder for its answer. */
interface Skipped {
  readonly kind: 'skipped';
  readonly text: SpilledText;
  /** Name of the operator; empty when none was given. */
  readonly by: string;
}

/** The agent has more to do, and does it in a new execution, whose history is empty. */
export interface ContinuesAsNew {
  readonly kind: 'continuesAsNew';
}

/** Prepares an agent for its next execution. Signals that are not sent yet would be lost with this one. */
export async function endExecution({ inbox }: Agent): Promise<ContinuesAsNew> {
  await inbox.family.allSent();
  return { kind: 'continuesAsNew' };
}

/** Where an agent is in its run. */
export interface AgentPlace {
  /** Null for a root. */
  readonly delegationId: string | null;
  /** Number of agents above it; 0 for a root. */
  readonly depth: number;
  /** Workflow id of the host of a shared session; null for an isolated session. */
  readonly sharedSession: string | null;
  /** Whether others may have written to the shared session since the snapshot that it starts from. Default: false. */
  readonly late?: boolean;
  /** Whether its first execution starts paused. Default: false. */
  readonly paused?: boolean;
  /** Operators' decisions about further calls, from its parent. Default: none. */
  readonly standing?: OperatorState['standing'];
}

/**
 * Begins an execution of an agent. Queries and operators are answered from here on. `resume` is the state in which the
 * previous execution ended; undefined in the first.
 */
export function beginAgent(
  schema: SessionSchema,
  start: AgentSettings & AgentPlace,
  resume: ResumedAgent | undefined,
): AgentLifecycle {
  return new AgentLifecycle(schema, settingsOf(start), start, resume);
}

/** One execution of an agent: opens it or resumes it, limits its time, and publishes its status and how it ended. */
export class AgentLifecycle {
  /** The agent as the previous execution left it; undefined in the first execution, which has to open it. */
  readonly resumed: Agent | undefined;
  private readonly inbox: OperatorInbox;
  private readonly view: AgentView;
  private current: Agent | undefined;
  private readonly timeLimit: TimeLimit;

  constructor(
    private readonly schema: SessionSchema,
    private readonly settings: AgentSettings,
    private readonly place: AgentPlace,
    resume: ResumedAgent | undefined,
  ) {
    this.inbox = new OperatorInbox(settings, resume?.desk ?? initialOperatorState(place));
    const { notify } = settings;
    if (notify !== undefined) this.inbox.announce = (incident) => notifyOperators(settings, notify, incident);
    this.timeLimit = new TimeLimit(settings, this.inbox, () => this.current?.progress.changes.deadline);
    const wasPaused = resume?.desk.paused === true;
    this.view = new AgentView(settings, this.inbox, () => this.current, wasPaused ? 'paused' : undefined);
    // A resumed agent exists before anything can end it, so that a failure reports what it had spent.
    if (resume !== undefined) this.resumed = this.current = this.createAgent(resume.progress, settings);
  }

  /** Opens the agent with its initial progress and the settings in force. Called once, in the first execution. */
  open(progress: AgentProgress, settings = this.settings): Agent {
    const agent = (this.current = this.createAgent(progress, settings));
    this.view.begin(this.place.depth === 0);
    return agent;
  }

  /** The agent, once it has been opened. */
  get agent(): Agent {
    if (this.current === undefined) throw new TypeError('The agent has not been opened yet');
    return this.current;
  }

  /**
   * Does an agent's work until it is done, the deadline passes, or an operator skips it. Publishes and returns how it
   * ended. Throws the failure that closes the agent.
   */
  until<End extends Answered | ContinuesAsNew>(work: () => Promise<End>): Promise<End | Skipped> {
    const begun = (): Promise<End> => {
      if (this.resumed !== undefined) this.view.begin(false);
      return work();
    };
    // Not async, because every promise costs time: docs/decisions/workflow-waits-little.md.
    return this.within(this.settings.deadline, begun).then(
      (end) => {
        const recorded = end.kind === 'answered' ? this.completed(end.text) : undefined;
        return recorded === undefined ? end : recorded.then(() => end);
      },
      (error: unknown) => this.afterError(error),
    );
  }

  /** Runs the work until a deadline, if there is one. An operator can move it. */
  within<T>(deadline: string | undefined, work: () => Promise<T>): Promise<T> {
    return deadline === undefined ? work() : this.timeLimit.run(deadline, work);
  }

  /** Publishes that the agent has completed. Undefined if that does not have to be recorded. */
  private completed(answer: SpilledText, skipped: { readonly skipped?: true } = {}): Promise<void> | undefined {
    this.view.close('completed');
    if (!isNotable(this.agent)) return undefined;
    const snapshot = this.view.snapshot();
    const recorded = recordEnding(this.agent, { status: 'completed', failure: null, answer, snapshot, ...skipped });
    return recorded.then(() => {
      this.view.close('completed');
    });
  }

  private async afterError(error: unknown): Promise<Skipped> {
    // Fails this workflow task, not the agent: a worker with the code that it needs repeats the task.
    if (error instanceof DeterminismViolationError) throw error;
    if (error instanceof SkippedByOperator && this.current !== undefined) {
      const text = { text: error.placeholder };
      await this.completed(text, { skipped: true });
      return { kind: 'skipped', text, by: error.by };
    }
    // Until the agent is opened, its input is not accepted and no status is published.
    if (this.current !== undefined) await this.stopped(this.current, error);
    throw isCancelled(error) ? cancellationOf(error) : agentFailure(error, this.current?.progress);
  }

  private async stopped(agent: Agent, error: unknown): Promise<void> {
    const status = isCancelled(error) ? 'cancelled' : 'failed';
    this.view.close(status);
    await recordEnding(agent, {
      status,
      failure: status === 'failed' ? describeFailure(error) : null,
      answer: null,
      snapshot: this.view.snapshot(),
    });
    this.view.close(status);
  }

  /** State to pass to the next execution. */
  carryOver(): ResumedAgent {
    return { progress: this.agent.progress, desk: this.inbox.state };
  }

  private createAgent(progress: AgentProgress, settings: AgentSettings): Agent {
    const { schema, inbox, view } = this;
    inbox.models = settings.models;
    const { delegationId, depth, sharedSession, late = false } = this.place;
    const agent: Agent = {
      get settings() {
        return effectiveSettings(settings, this.progress.changes);
      },
      schema,
      delegationId,
      depth,
      shared:
        sharedSession === null
          ? null
          : { host: sharedSession, sent: 0, reserved: null, isBehind: late, answered: Promise.resolve() },
      hosted: null,
      parentSeenAt: workflowNowMs(),
      progress,
      turnStarts: depth === 0 ? [] : null,
      firstCall: progress.calls,
      lastTools: [],
      ahead: [],
      failedAhead: undefined,
      relay: undefined,
      hasUnreported: false,
      unreported: new UnreportedSpending(),
      inbox,
      semaphore: new Semaphore(
        () => agent.settings.limits.maxParallel,
        () => inbox.parkedChildren,
      ),
      report: (status, waitingFor) => {
        view.show(status, waitingFor);
      },
    };
    joinFamily(agent);
    return agent;
  }
}

/** Lets the agent's parked delegations queue again, and lets itself ask whether its parent is still open. */
function joinFamily(agent: Agent): void {
  const { family } = agent.inbox;
  family.readmit = (id) => agent.semaphore.readmit(id);
  family.place.parent = {
    checkMs: parentCheckMs(agent.settings.tuning),
    isOpen: () => hasOpenParent(agent.settings),
  };
}

function initialOperatorState({ paused = false, standing }: AgentPlace): OperatorState {
  return { ...emptyOperatorState, paused, ...(standing === undefined ? {} : { standing }) };
}

const maxRecordedMessage = 4_000;

function describeFailure(error: unknown): { type: string; message: string } {
  const { type = 'Agent.Failed', message } = rootCause(error);
  return { type, message: message.slice(0, maxRecordedMessage) };
}
