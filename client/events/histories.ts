import { isGrpcCancelledError, isGrpcDeadlineError, type Client } from '@temporalio/client';
import { grpcStatus, statusOf } from '../../temporal-config/server/grpc-status';
import type { HistoryEvent } from './decoder';
import { Slots } from './slots';

export interface Execution {
  readonly workflowId: string;
  /** Left out: the latest one. */
  readonly runId?: string;
}

export interface Page {
  readonly events: readonly HistoryEvent[];
  /** Where the next page begins; undefined when there is none. */
  readonly next: Uint8Array | undefined;
}

const concurrentReads = 16;

/** Reads histories page by page, from the server alone: no worker has to be there. */
export class Histories {
  private readonly slots = new Slots(concurrentReads);

  /** One for each request under way: the SDK never takes its listeners off a signal again. */
  private readonly requests = new Set<AbortController>();

  constructor(
    private readonly client: Client,
    private readonly signal: AbortSignal,
  ) {
    signal.addEventListener('abort', () => {
      for (const request of this.requests) request.abort();
    });
  }

  /** What is there now. Nothing when the server no longer has it. */
  async *pages(execution: Execution): AsyncGenerator<Page> {
    let next: Uint8Array | undefined;
    do {
      const page = await this.slots.run(() => this.page(execution, next, false));
      if (page === undefined) return;
      yield page;
      next = page.next;
    } while (next !== undefined);
  }

  /** The next page, or what comes to pass; undefined when nothing has until the deadline. */
  async wait(execution: Execution, after: Uint8Array | undefined, deadline: number): Promise<Page | undefined> {
    try {
      return await this.client.withDeadline(deadline, () => this.page(execution, after, true));
    } catch (error) {
      if (isGrpcDeadlineError(error) || isGrpcCancelledError(error)) return undefined;
      throw error;
    }
  }

  async firstEvent(execution: Execution): Promise<HistoryEvent | undefined> {
    for await (const { events } of this.pages(execution)) return events[0];
    return undefined;
  }

  /** The execution that a reset has put in the place of another one. */
  async resetTo({ workflowId, runId }: Execution): Promise<string | undefined> {
    const { raw } = await this.slots.run(() => this.client.workflow.getHandle(workflowId, runId).describe());
    return raw.workflowExtendedInfo?.resetRunId || undefined;
  }

  private async page(
    execution: Execution,
    nextPageToken: Uint8Array | undefined,
    waitNewEvent: boolean,
  ): Promise<Page | undefined> {
    try {
      const { history, nextPageToken: next } = await this.abortable(() =>
        this.client.workflowService.getWorkflowExecutionHistory({
          namespace: this.client.options.namespace,
          execution,
          waitNewEvent,
          skipArchival: true,
          ...(nextPageToken === undefined ? {} : { nextPageToken }),
        }),
      );
      return { events: history?.events ?? [], next: next.length > 0 ? next : undefined };
    } catch (error) {
      if (statusOf(error) === grpcStatus.notFound) return undefined;
      throw error;
    }
  }

  private async abortable<T>(request: () => Promise<T>): Promise<T> {
    const controller = new AbortController();
    if (this.signal.aborted) controller.abort();
    this.requests.add(controller);
    try {
      return await this.client.withAbortSignal(controller.signal, request);
    } finally {
      this.requests.delete(controller);
    }
  }
}
