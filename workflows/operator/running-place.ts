import { condition, workflowInfo } from '@temporalio/workflow';
import type { Incident, OperatorDecision, ParkedReport } from '../../domain/operator';
import { failure } from '../failures';
import { patches } from '../patches';

/**
 * The place of a delegation among those that its parent runs at the same time. It is given up while the delegation waits
 * for an operator, so that others can start. After the answer, it is taken again when it is the delegation's turn.
 */
export class RunningPlace {
  private isGivenUp = false;
  /** Whether the delegation waits for its turn. */
  isWanted = false;
  /** How often it has asked for its place. */
  private returns = 0;

  /** How to find out whether the parent is open, and how often. Set when the agent is opened. */
  parent: { readonly checkMs: number; isOpen(): Promise<boolean> } | undefined;

  /** `tellParent` sends the parent what `report` returns. */
  constructor(private readonly tellParent: () => void) {}

  /** What the parent has to know about the place, while incidents may be open. */
  report(isParked: boolean): Pick<ParkedReport, 'returns' | 'atWork'> {
    if (this.isWanted) return { returns: this.returns };
    return isParked && !this.isGivenUp ? { atWork: true } : {};
  }

  /** Gives the place up. A root has none. */
  giveUp(): void {
    if (!this.isWanted) this.isGivenUp = workflowInfo().parent !== undefined;
  }

  /** Asks for the place, if it was given up. It is asked for with the next report to the parent. */
  want(): void {
    if (!this.isGivenUp || this.isWanted) return;
    this.isGivenUp = false;
    if (!patches.queuesAgain()) return;
    this.isWanted = true;
    this.returns += 1;
  }

  /** Notes that the parent has granted the place. */
  admit(returns: number): void {
    if (returns === this.returns) this.isWanted = false;
  }

  /** Waits for the place, if it was asked for. Fails if the parent has closed. */
  async untilAdmitted(): Promise<void> {
    const isAdmitted = (): boolean => !this.isWanted;
    while (!isAdmitted() && !(await condition(isAdmitted, this.parent?.checkMs ?? rarelyMs))) {
      if ((await this.parent?.isOpen()) === false)
        throw failure(
          'Delegation.ParentClosed',
          'The agent that delegated this has ended, so nobody needs the result.',
        );
      // A reset of the parent may have taken back that it was asked.
      this.tellParent();
    }
  }
}

const rarelyMs = 600_000;

/** Whether an agent continues with its work after this answer. Otherwise it ends, and nobody has to wait for that. */
export function continuesAfter({ kind }: Pick<Incident, 'kind'>, decision: OperatorDecision | undefined): boolean {
  if (kind !== 'failure') return true;
  return decision?.action === 'retry' || decision?.action === 'amend';
}
