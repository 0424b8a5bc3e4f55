import type { Client } from '@temporalio/client';
import type { LogEntry, Logger } from '@temporalio/worker';
import { LRUCache } from 'lru-cache';
import { explainTaskFailure, listFailingTasks, reportedProblemsQuery } from '../temporal-config/node/failing-tasks';

const lookEveryMs = 60_000;
/** Maximum workflows that are named at a time. */
const namedAtOnce = 20;

interface Watched {
  readonly client: Client;
  readonly taskQueue: string;
  readonly logger: Logger;
}

/**
 * Warns about workflow tasks that fail, which the SDK retries silently forever. It logs only the first failure of a
 * task, and only Temporal's id of the execution; what keeps failing is reported by the server.
 */
export class FailingTaskWarnings {
  /** Repeated after an hour, because a warning scrolls away. */
  private readonly warned = new LRUCache<string, true>({ max: 1_000, ttl: 60 * 60_000 });
  private watched: Watched | undefined;

  /** Takes an entry of the SDK's log. Returns whether it is about a failing workflow task, and is reported here. */
  takes({ message, meta }: LogEntry): boolean {
    if (message !== 'Failing workflow task' || this.watched === undefined) return false;
    const { runId, failure } = meta ?? {};
    void this.warnAbout(this.watched, String(runId), messageIn(String(failure)));
    return true;
  }

  /** Looks at once, and then once a minute, what the server reports for a task queue. Returns a function that ends it. */
  watch(watched: Watched): () => void {
    this.watched = watched;
    const look = (): void => {
      void this.look(watched).catch(() => undefined);
    };
    look();
    const timer = setInterval(look, lookEveryMs);
    return () => {
      this.watched = undefined;
      clearInterval(timer);
    };
  }

  private async look({ client, taskQueue, logger }: Watched): Promise<void> {
    const query = `TaskQueue = ${JSON.stringify(taskQueue)} AND ${reportedProblemsQuery}`;
    for (const { workflowId, attempt, message, remedy } of await listFailingTasks(client, query, namedAtOnce)) {
      this.warn(logger, workflowId, `has failed ${attempt - 1} times: ${message}. ${remedy}`);
    }
  }

  private async warnAbout({ client, logger }: Watched, runId: string, failure: string): Promise<void> {
    const { message, remedy } = explainTaskFailure(failure);
    const workflowId = await workflowOf(client, runId).catch(() => undefined);
    this.warn(logger, workflowId ?? runId, `failed and is being retried: ${message}. ${remedy}`);
  }

  private warn(logger: Logger, workflow: string, what: string): void {
    if (this.warned.has(workflow)) return;
    this.warned.set(workflow, true);
    logger.warn(`The workflow task of ${workflow} ${what} See: baton why ${workflow}`);
  }
}

/** Reads no memo: a worker that lacks a key can't, and has to name the workflow all the same. */
async function workflowOf({ workflowService, options }: Client, runId: string): Promise<string | undefined> {
  const query = `RunId = "${runId}"`;
  const { executions } = await workflowService.listWorkflowExecutions({ namespace: options.namespace, query });
  return executions[0]?.execution?.workflowId ?? undefined;
}

/** Finds the message in a failure as the SDK's native part prints it. */
function messageIn(failure: string): string {
  const [, message = failure] = /message: "((?:[^"\\]|\\.)*)"/.exec(failure) ?? [];
  return message.replaceAll('\\"', '"').replaceAll('\\n', ' ').slice(0, 500);
}
