import { type Client, isGrpcCancelledError, isGrpcDeadlineError } from '@temporalio/client';
import { ConcurrencyLimit } from '../../domain/kernel';
import { grpcStatus, grpcStatusOf } from '../../temporal-config/node/connection-failure';
import type { HistoryEvent } from './decoder';
import { PageSize } from './page-size';

/** An execution of a workflow. */
export interface Execution {
  readonly workflowId: string;
  /** Temporal's run id; the latest execution if omitted. */
  readonly executionId?: string;
}

/** A page of a history. */
export interface Page {
  readonly events: readonly HistoryEvent[];
  /** Token of the next page; undefined after the last one. */
  readonly next: Uint8Array | undefined;
}

const concurrentReads = 16;

/** Reads histories page by page. This needs only the server, no worker. */
export class Histories {
  private readonly limit = new ConcurrencyLimit(concurrentReads);

  /** One controller per request, because the SDK never removes its listeners from a signal. */
  private readonly requests = new Set<AbortController>();

  constructor(
    private readonly client: Client,
    private readonly signal: AbortSignal = new AbortController().signal,
  ) {
    signal.addEventListener('abort', () => {
      for (const request of this.requests) request.abort();
    });
  }

  /** Reads what the history contains now. Yields nothing when the server no longer has it. */
  async *pages(execution: Execution): AsyncGenerator<Page> {
    const size = new PageSize();
    let next: Uint8Array | undefined;
    do {
      const page = await this.limit.run(() => this.page(execution, next, { size }));
      if (page === undefined) return;
      yield page;
      next = page.next;
    } while (next !== undefined);
  }

  /** Waits for the next page or for new events; undefined if there are none before the deadline. */
  async wait(
    execution: Execution,
    after: Uint8Array | undefined,
    deadline: number,
    size: PageSize,
  ): Promise<Page | undefined> {
    try {
      return await this.client.withDeadline(deadline, () => this.page(execution, after, { waits: true, size }));
    } catch (error) {
      if (isGrpcDeadlineError(error) || isGrpcCancelledError(error)) return undefined;
      throw error;
    }
  }

  /** Reads the first event; undefined when the server no longer has the history. */
  async firstEvent(execution: Execution): Promise<HistoryEvent | undefined> {
    for await (const { events } of this.pages(execution)) return events[0];
    return undefined;
  }

  /** Returns the execution that replaced this one after a reset; undefined if it was not reset. */
  async resetTo({ workflowId, executionId }: Execution): Promise<string | undefined> {
    const { raw } = await this.limit.run(() => this.client.workflow.getHandle(workflowId, executionId).describe());
    return raw.workflowExtendedInfo?.resetRunId || undefined;
  }

  private async page(
    { workflowId, executionId }: Execution,
    nextPageToken: Uint8Array | undefined,
    { waits = false, size }: { readonly waits?: boolean; readonly size: PageSize },
  ): Promise<Page | undefined> {
    try {
      const { history, nextPageToken: next } = await this.abortable(() =>
        this.client.workflowService.getWorkflowExecutionHistory({
          namespace: this.client.options.namespace,
          execution: { workflowId, runId: executionId ?? null },
          waitNewEvent: waits,
          maximumPageSize: size.next,
          skipArchival: true,
          ...(nextPageToken === undefined ? {} : { nextPageToken }),
        }),
      );
      const events = history?.events ?? [];
      if (next.length === 0) return { events, next: undefined };
      size.measure(events);
      return { events, next };
    } catch (error) {
      if (grpcStatusOf(error) === grpcStatus.notFound) return undefined;
      throw error;
    }
  }

  private async abortable<T>(request: () => Promise<T>): Promise<T> {
    // Reads that waited for their turn are not begun after stopping: the SDK would send them, whatever its signal says.
    this.signal.throwIfAborted();
    const controller = new AbortController();
    this.requests.add(controller);
    try {
      return await this.client.withAbortSignal(controller.signal, request);
    } finally {
      this.requests.delete(controller);
    }
  }
}
