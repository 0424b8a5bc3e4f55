import { setTimeout } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';

/** Time between two looks whether an agent that was interrupted has been cancelled as well, in milliseconds. */
const lookMs = 2_000;

/** Time by which the clocks of server and worker may differ, in milliseconds. */
const clockToleranceMs = 2_000;

/**
 * Tells a burst of turns when to stop. A workflow cancels the activity when it was cancelled itself, when the agent's
 * deadline has passed, and when an operator has paused or steered the agent. In the last case the call in flight is
 * finished, and no other one begins: the burst yields. Otherwise it is aborted.
 */
export class BurstSignal {
  /** Aborted when the work must stop at once. */
  readonly abort: AbortSignal;
  private readonly controller = new AbortController();
  private readonly over = new AbortController();
  private yielding = false;
  private cancelled = false;

  constructor(
    private readonly dependencies: { readonly client: Client },
    private readonly deadline: string | undefined,
  ) {
    this.abort = this.controller.signal;
    const context = Context.current();
    const { cancellationSignal } = context;
    const listen = (): void => void this.interrupted(context);
    if (cancellationSignal.aborted) listen();
    else cancellationSignal.addEventListener('abort', listen, { once: true, signal: this.over.signal });
  }

  /** Whether no further turn may begin. */
  get isYielding(): boolean {
    return this.yielding || this.abort.aborted;
  }

  /** Whether the agent was cancelled or has ended, so that nobody needs what was done. */
  get isCancelled(): boolean {
    return this.cancelled;
  }

  /** Call it when the burst has ended. */
  close(): void {
    this.over.abort();
  }

  private async interrupted(context: Context): Promise<void> {
    this.yielding = true;
    const { cancelRequested = false, workerShutdown = false } = context.cancellationDetails ?? {};
    while (cancelRequested && !workerShutdown && !this.isOverdue && (await this.isAgentAtWork(context))) {
      const isOver = await setTimeout(lookMs, false, { signal: this.over.signal, ref: false }).catch(() => true);
      if (isOver) return;
    }
    this.cancelled = !workerShutdown;
    this.controller.abort(context.cancellationSignal.reason);
  }

  private get isOverdue(): boolean {
    return this.deadline !== undefined && Date.now() >= Date.parse(this.deadline) - clockToleranceMs;
  }

  private async isAgentAtWork({ info }: Context): Promise<boolean> {
    const { workflowId, runId } = info.workflowExecution ?? {};
    if (workflowId === undefined) return false;
    try {
      const { status, raw } = await this.dependencies.client.workflow.getHandle(workflowId, runId).describe();
      return status.name === 'RUNNING' && raw.workflowExtendedInfo?.cancelRequested !== true;
    } catch {
      // A call that is made twice is better than one that continues after a cancellation.
      return false;
    }
  }
}
