import type { Client } from '@temporalio/client';
import { type LogEntry, Runtime } from '@temporalio/worker';
import { LRUCache } from 'lru-cache';
import { explainTaskFailure, listFailingTasks, reportedProblemsQuery } from '../temporal-config/node/failing-tasks';

const lookEveryMs = 60_000;
/** Maximum workflows that are named at a time. */
const namedAtOnce = 20;

/**
 * Warns about workflow tasks that fail, which the SDK retries silently forever. It logs only the first failure of a
 * task, and only Temporal's id of the execution; what keeps failing is reported by the server.
 */
export class FailingTaskWarnings {
  /** Repeated after an hour, because a warning scrolls away. */
  private readonly warned = new LRUCache<string, true>({ max: 1_000, ttl: 60 * 60_000 });
  private client: Client | undefined;

  /** Takes an entry of the SDK's log. Returns whether it is about a failing workflow task, and is reported here. */
  takes({ message, meta }: LogEntry): boolean {
    if (message !== 'Failing workflow task') return false;
    const { runId, failure } = meta ?? {};
    void this.warnAbout(String(runId), messageIn(String(failure)));
    return true;
  }

  /** Looks at once, and then once a minute, what the server reports for a task queue. Returns a function that ends it. */
  watch(client: Client, taskQueue: string): () => void {
    this.client = client;
    const query = `TaskQueue = ${JSON.stringify(taskQueue)} AND ${reportedProblemsQuery}`;
    const look = (): void => {
      void this.look(client, query).catch(() => undefined);
    };
    look();
    const timer = setInterval(look, lookEveryMs);
    return () => {
      clearInterval(timer);
    };
  }

  private async look(client: Client, query: string): Promise<void> {
    for (const { workflowId, attempt, message, remedy } of await listFailingTasks(client, query, namedAtOnce)) {
      this.warn(workflowId, `has failed ${attempt - 1} times`, message, remedy);
    }
  }

  private async warnAbout(runId: string, failure: string): Promise<void> {
    const { message, remedy } = explainTaskFailure(failure);
    const workflowId = await this.workflowOf(runId).catch(() => undefined);
    this.warn(workflowId ?? runId, 'failed and is being retried', message, remedy);
  }

  private async workflowOf(runId: string): Promise<string | undefined> {
    const found = this.client?.workflow.list({ query: `RunId = "${runId}"` }) ?? [];
    for await (const { workflowId } of found) return workflowId;
    return undefined;
  }

  private warn(workflow: string, what: string, message: string, remedy: string): void {
    const text = `The workflow task of ${workflow} ${what}: ${message}. ${remedy} See: baton why ${workflow}`;
    if (this.warned.has(`${workflow} ${message}`)) return;
    this.warned.set(`${workflow} ${message}`, true);
    Runtime.instance().logger.warn(text);
  }
}

/** Finds the message in a failure as the SDK's native part prints it. */
function messageIn(failure: string): string {
  const [, message = failure] = /message: "((?:[^"\\]|\\.)*)"/.exec(failure) ?? [];
  return message.replaceAll('\\"', '"').replaceAll('\\n', ' ').slice(0, 500);
}
