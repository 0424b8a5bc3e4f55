import { getExternalWorkflowHandle, workflowInfo } from '@temporalio/workflow';
import { admittedContract, type OperatorState, parkedContract, type ParkedReport } from '../../domain/operator';
import { afterActivation } from './after-activation';
import { handleSignal } from '../handlers';
import { admittedSignal, parkedSignal, setPausedSignal, standingSignal } from '../messages';
import { patches } from '../patches';
import { LatestSignal } from './latest-signal';
import { RunningPlace } from './running-place';

/** What an agent tells its parent and its delegations about operators: who waits for one, and what one has decided. */
export class FamilySignals {
  /** Workflow ids of the delegations in progress. */
  private readonly children = new Set<string>();
  /** Delegations that wait for an operator, or that have agents below them that do, by delegation id. */
  private readonly waiting = new Map<string, Pick<ParkedReport, 'self' | 'below' | 'atWork'>>();
  /** What delegations said that are not in progress, by delegation id. After a reset, they may be about to be adopted. */
  private readonly early = new Map<string, ParkedReport>();
  /** How often delegations have asked to continue after an answer, and have been admitted, by delegation id. */
  private readonly asked = new Map<string, number>();
  private readonly admitted = new Map<string, number>();
  /** Waits until it is a delegation's turn to continue. Returns false if it needs no signal. */
  readmit: (delegationId: string) => Promise<boolean> = () => Promise.resolve(true);
  private readonly signals = new LatestSignal();
  /** Apart from the others, because a target gets only the latest one of a kind. */
  private readonly standing = new LatestSignal();

  /** Place of this agent among the delegations of its parent. */
  readonly place: RunningPlace;

  constructor(
    private readonly agent: {
      /** What operators have decided so far. */
      readonly state: () => OperatorState;
      /** Whether the agent waits for an operator. */
      readonly isParked: () => boolean;
      /** Called when something has changed that queries or the Web UI should show. */
      readonly onChange: () => void;
    },
  ) {
    this.place = new RunningPlace(() => {
      this.tellParent();
    });
    handleSignal(parkedContract, (report) => {
      this.childReported(report);
      agent.onChange();
      this.tellParent();
    });
    handleSignal(admittedContract, ({ returns }) => {
      this.place.admit(returns);
      agent.onChange();
    });
  }

  /** Number of agents below that wait for an operator. */
  get parkedBelow(): number {
    return [...this.waiting.values()].reduce((sum, { self, below }) => sum + below + (self ? 1 : 0), 0);
  }

  /** Ids of the delegations that wait for an operator themselves. */
  get parkedChildren(): readonly string[] {
    return [...this.waiting].flatMap(([delegationId, { self, atWork }]) =>
      self && atWork !== true ? delegationId : [],
    );
  }

  /**
   * Records what a delegation says about itself and the agents below it. A reset sends this agent everything again that it
   * was told, also by delegations that have been closed since: such a report counts only if its delegation is adopted.
   */
  private childReported(sent: ParkedReport): void {
    const { delegationId, returns, ...report } = sent;
    if (!this.children.has(childIdOf(delegationId)) && patches.hearsRunningOnly()) {
      this.early.set(delegationId, sent);
      return;
    }
    if (report.self || report.below > 0) this.waiting.set(delegationId, report);
    else this.waiting.delete(delegationId);
    if (returns === undefined) return;
    this.asked.set(delegationId, returns);
    void this.admit(delegationId).catch(() => undefined);
  }

  /**
   * Call it before a delegation is started. Returns what was reported so far, which is true of this delegation only if it
   * turns out to run already: otherwise an earlier execution of it said so.
   */
  takeEarlyReport(delegationId: string): ParkedReport | undefined {
    const report = this.early.get(delegationId);
    this.early.delete(delegationId);
    return report;
  }

  /**
   * Registers a running delegation, and tells it what has changed since it was prepared. `reported` is what it said before
   * this agent adopted it.
   */
  childStarted(
    workflowId: string,
    { paused = false, standing }: Partial<OperatorState>,
    reported?: ParkedReport,
  ): void {
    this.children.add(workflowId);
    const delegationId = delegationIdOf(workflowId);
    // A signal that arrives together with the start is handled before it.
    const report = this.takeEarlyReport(delegationId) ?? reported;
    if (report === undefined) {
      // It may have asked an execution of this agent that was reset.
      void this.admit(delegationId).catch(() => undefined);
    } else {
      this.childReported(report);
      this.agent.onChange();
      this.tellParent();
    }
    if (this.agent.state().paused !== paused) this.sendPaused(workflowId);
    // A changed list is another object.
    if (this.agent.state().standing !== standing) this.sendStanding(workflowId);
  }

  /** Removes a delegation that has closed. Returns whether it was waiting for an operator. */
  childEnded(workflowId: string, delegationId: string): boolean {
    this.children.delete(workflowId);
    this.signals.forget(workflowId);
    this.standing.forget(workflowId);
    this.asked.delete(delegationId);
    this.admitted.delete(delegationId);
    return this.waiting.delete(delegationId);
  }

  /** Lets a delegation continue that has asked for that, when it is its turn. Nothing to do if it has closed meanwhile. */
  private async admit(delegationId: string): Promise<void> {
    const returns = this.asked.get(delegationId);
    const child = childIdOf(delegationId);
    if (returns === undefined || !this.children.has(child) || !patches.queuesAgain()) return;
    if (returns > (this.admitted.get(delegationId) ?? 0)) {
      if (!(await this.readmit(delegationId))) return;
      this.admitted.set(delegationId, returns);
      const waiting = this.waiting.get(delegationId);
      if (waiting !== undefined) this.waiting.set(delegationId, { ...waiting, atWork: true });
    }
    await afterActivation();
    if (!this.children.has(child)) return;
    await getExternalWorkflowHandle(child).signal(admittedSignal, { returns });
  }

  /** Tells all delegations whether they are paused. */
  tellPaused(): void {
    for (const child of this.children) this.sendPaused(child);
  }

  /** Tells all delegations which calls an operator has decided about. */
  tellStanding(): void {
    for (const child of this.children) this.sendStanding(child);
  }

  /** Tells the parent how many agents wait for an operator. */
  tellParent(): void {
    const { parent, workflowId } = workflowInfo();
    if (parent === undefined) return;
    const delegationId = delegationIdOf(workflowId);
    this.signals.send(parent.workflowId, () =>
      getExternalWorkflowHandle(parent.workflowId).signal(parkedSignal, {
        delegationId,
        self: this.agent.isParked(),
        below: this.parkedBelow,
        ...this.place.report(this.agent.isParked()),
      }),
    );
  }

  /** Resolves when all outgoing signals have been sent. */
  async allSent(): Promise<void> {
    await this.signals.allSent();
    await this.standing.allSent();
  }

  private sendPaused(child: string): void {
    this.signals.send(child, () =>
      getExternalWorkflowHandle(child).signal(setPausedSignal, { paused: this.agent.state().paused }),
    );
  }

  private sendStanding(child: string): void {
    this.standing.send(child, () =>
      getExternalWorkflowHandle(child).signal(standingSignal, { decisions: this.agent.state().standing ?? [] }),
    );
  }
}

function childIdOf(delegationId: string): string {
  return `${workflowInfo().workflowId}/${delegationId}`;
}

/** Workflow ids are paths; the last part of a delegation's id is its delegation id. */
function delegationIdOf(workflowId: string): string {
  return workflowId.slice(workflowId.lastIndexOf('/') + 1);
}
