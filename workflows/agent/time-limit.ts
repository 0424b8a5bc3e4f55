import { CancellationScope, condition } from '@temporalio/workflow';
import type { AgentSettings } from '../../domain/agent';
import { deadlinePassed } from '../../domain/budget';
import { laterOf, millisecondsUntil } from '../clock';
import { failure, isCancelled } from '../failures';
import type { OperatorInbox } from '../operator/operator-inbox';
import { findRetry } from '../operator/operator-retry';

/** Ends an agent's work at its deadline, which an operator can move, also after it has passed. */
export class TimeLimit {
  /** The deadline of a retry that no step has applied yet. */
  private retriedUntil: string | undefined;

  constructor(
    private readonly settings: AgentSettings,
    private readonly inbox: OperatorInbox,
    /** Returns the deadline that an operator set; undefined when none did. */
    private readonly amended: () => string | undefined,
  ) {}

  /** Runs the work until the deadline. When it passes, everything in progress is cancelled, delegations included. */
  async run<T>(initial: string, work: () => Promise<T>): Promise<T> {
    const deadline = (): string => laterOf(this.amended() ?? initial, this.retriedUntil);
    if (millisecondsUntil(deadline()) <= 0 && !(await this.isExtended())) throw expired(deadline());
    const outer = CancellationScope.current();
    const scope = new CancellationScope();
    const timer = new CancellationScope();
    // Rejects when the work has ended first.
    void timer
      .run(() => this.untilPassed(deadline))
      .then(
        () => {
          scope.cancel();
        },
        () => undefined,
      );
    try {
      return await scope.run(work);
    } catch (error) {
      if (isCancelled(error) && !outer.consideredCancelled) throw expired(deadline());
      throw error;
    } finally {
      timer.cancel();
    }
  }

  /** Resolves when the deadline has passed, also if it is changed while this waits. */
  private async untilPassed(deadline: () => string): Promise<void> {
    for (;;) {
      const awaited = deadline();
      const isChanged = await condition(() => deadline() !== awaited, Math.max(1, millisecondsUntil(awaited)));
      if (!isChanged && !(await this.isExtended())) return;
    }
  }

  /**
   * Asks whether an operator had this agent retried with a new deadline after the old one had passed. If nobody can tell, it
   * was not: a deadline must not be lost because of that.
   */
  private async isExtended(): Promise<boolean> {
    const { retry } = await findRetry(this.settings).catch((error: unknown) => {
      if (isCancelled(error)) throw error;
      return { retry: null };
    });
    const deadline = retry?.amendment?.deadline;
    if (retry === null || deadline === undefined || millisecondsUntil(deadline) <= 0) return false;
    this.retriedUntil = deadline;
    this.inbox.acceptRetry(retry);
    return true;
  }
}

function expired(deadline: string): Error {
  return failure('Budget.Exceeded', deadlinePassed(deadline));
}
