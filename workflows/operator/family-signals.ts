import { getExternalWorkflowHandle, workflowInfo } from '@temporalio/workflow';
import type { OperatorState } from '../../domain/operator';
import { parkedSignal, setPausedSignal, standingSignal } from '../messages';
import { LatestSignal } from './latest-signal';

/** What an agent tells its parent and its delegations about operators: who waits for one, and what one has decided. */
export class FamilySignals {
  /** Workflow ids of the delegations in progress. */
  private readonly children = new Set<string>();
  /** Delegations that wait for an operator, or that have agents below them that do, by delegation id. */
  private readonly waiting = new Map<string, { readonly self: boolean; readonly below: number }>();
  private readonly signals = new LatestSignal();
  /** Apart from the others, because a target gets only the latest one of a kind. */
  private readonly standing = new LatestSignal();

  /** `state` and `isParked` return what is the case at the moment. */
  constructor(
    private readonly state: () => OperatorState,
    private readonly isParked: () => boolean,
  ) {}

  /** Number of agents below that wait for an operator. */
  get parkedBelow(): number {
    return [...this.waiting.values()].reduce((sum, { self, below }) => sum + below + (self ? 1 : 0), 0);
  }

  /** Ids of the delegations that wait for an operator themselves. */
  get parkedChildren(): readonly string[] {
    return [...this.waiting].flatMap(([delegationId, { self }]) => (self ? delegationId : []));
  }

  /** Records what a delegation says about itself and the agents below it. */
  childReported(delegationId: string, self: boolean, below: number): void {
    if (self || below > 0) this.waiting.set(delegationId, { self, below });
    else this.waiting.delete(delegationId);
  }

  /** Registers a running delegation, and tells it what has changed since it was prepared. */
  childStarted(workflowId: string, { paused = false, standing }: Partial<OperatorState>): void {
    this.children.add(workflowId);
    if (this.state().paused !== paused) this.sendPaused(workflowId);
    // A changed list is another object.
    if (this.state().standing !== standing) this.sendStanding(workflowId);
  }

  /** Removes a delegation that has closed. Returns whether it was waiting for an operator. */
  childEnded(workflowId: string, delegationId: string): boolean {
    this.children.delete(workflowId);
    return this.waiting.delete(delegationId);
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
    const delegationId = workflowId.slice(workflowId.lastIndexOf('/') + 1);
    this.signals.send(parent.workflowId, () =>
      getExternalWorkflowHandle(parent.workflowId).signal(parkedSignal, {
        delegationId,
        self: this.isParked(),
        below: this.parkedBelow,
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
      getExternalWorkflowHandle(child).signal(setPausedSignal, { paused: this.state().paused }),
    );
  }

  private sendStanding(child: string): void {
    this.standing.send(child, () =>
      getExternalWorkflowHandle(child).signal(standingSignal, { decisions: this.state().standing ?? [] }),
    );
  }
}
