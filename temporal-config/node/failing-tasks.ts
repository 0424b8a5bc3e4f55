import { type Client, isGrpcServiceError, ServiceError, type WorkflowExecutionDescription } from '@temporalio/client';
import { decodeOptionalFailureToOptionalError } from '@temporalio/common/lib/internal-non-workflow';
import { temporal } from '@temporalio/proto';
import { grpcStatus, grpcStatusOf } from './connection-failure';

/** A workflow whose task failed and is being retried. It makes no progress, and can't be cancelled, until that succeeds. */
export interface FailingTask {
  readonly workflowId: string;
  /** Task queue of the workflow. */
  readonly taskQueue: string;
  /** Build id of the workflow code that last worked on it; null if it is not known. */
  readonly build: string | null;
  /** Number of the current attempt. */
  readonly attempt: number;
  /** What failed, in the words of the SDK. */
  readonly message: string;
  /** What to do about it. */
  readonly remedy: string;
}

/** Query for the open executions whose workflow task the server reports as failing. It does so after a few attempts. */
export const reportedProblemsQuery = "ExecutionStatus = 'Running' AND TemporalReportedProblems IS NOT NULL";

type TaskEvent = temporal.api.history.v1.IHistoryEvent;

const { WorkflowTaskFailedCause: causes } = temporal.api.enums.v1;

/** Failures of a task that are part of normal operation. */
const harmless: readonly unknown[] = [
  causes.WORKFLOW_TASK_FAILED_CAUSE_UNHANDLED_COMMAND,
  causes.WORKFLOW_TASK_FAILED_CAUSE_RESET_WORKFLOW,
  causes.WORKFLOW_TASK_FAILED_CAUSE_RESET_STICKY_TASK_QUEUE,
  causes.WORKFLOW_TASK_FAILED_CAUSE_FORCE_CLOSE_COMMAND,
];

/** A task that times out once belonged to a worker that died. One that keeps timing out never ends. */
const timeoutsThatMatter = 3;

/** Finds out whether the task of an open workflow keeps failing. Makes one request, and only if it was retried. */
export async function findFailingTask(
  client: Client,
  {
    workflowId,
    runId,
    taskQueue,
    raw,
  }: Pick<WorkflowExecutionDescription, 'workflowId' | 'runId' | 'taskQueue' | 'raw'>,
): Promise<FailingTask | undefined> {
  const attempt = raw.pendingWorkflowTask?.attempt ?? 1;
  if (attempt < 2) return undefined;
  const { history } = await client.workflowService.getWorkflowExecutionHistoryReverse({
    namespace: client.options.namespace,
    execution: { workflowId, runId },
    maximumPageSize: 200,
  });
  const last = history?.events?.find(isEndOfTask);
  const problem = last === undefined ? undefined : await problemOf(client, last, attempt);
  const build = raw.workflowExecutionInfo?.mostRecentWorkerVersionStamp?.buildId || null;
  return problem === undefined ? undefined : { workflowId, taskQueue, build, attempt, ...problem };
}

/** Finds failing tasks among the open executions that a query selects, at most one page of them. */
export async function listFailingTasks(
  client: Client,
  query: string,
  pageSize: number,
): Promise<readonly FailingTask[]> {
  const { namespace } = client.options;
  try {
    const { executions } = await client.workflowService.listWorkflowExecutions({ namespace, query, pageSize });
    const found = await Promise.all(
      executions.map(async ({ execution }) => {
        // Not through a handle, which would decode the memo: its key may be what is missing.
        const raw = await client.workflowService
          .describeWorkflowExecution({ namespace, execution: execution ?? null })
          .catch(ifGone);
        const { workflowId, runId } = execution ?? {};
        if (raw === undefined || !workflowId || !runId) return undefined;
        const taskQueue = raw.executionConfig?.taskQueue?.name ?? '';
        return findFailingTask(client, { workflowId, runId, taskQueue, raw });
      }),
    );
    return found.filter((one) => one !== undefined);
  } catch (error) {
    // An older server does not know the attribute.
    if (error instanceof ServiceError || isGrpcServiceError(error)) return [];
    throw error;
  }
}

/** The execution may have ended, and its history may have been deleted, since it was listed. */
function ifGone(error: unknown): undefined {
  if (grpcStatusOf(error) === grpcStatus.notFound) return undefined;
  throw error;
}

function isEndOfTask({
  workflowTaskCompletedEventAttributes: completed,
  workflowTaskFailedEventAttributes: failed,
  workflowTaskTimedOutEventAttributes: timedOut,
}: TaskEvent): boolean {
  return Boolean(completed ?? failed ?? timedOut);
}

async function problemOf(
  client: Client,
  { workflowTaskFailedEventAttributes: failed, workflowTaskTimedOutEventAttributes: timedOut }: TaskEvent,
  attempt: number,
): Promise<Pick<FailingTask, 'message' | 'remedy'> | undefined> {
  if (failed) {
    if (harmless.includes(failed.cause)) return undefined;
    // Its message may be encrypted, with a key that is not here either.
    const { loadedDataConverter } = client.options;
    const error = await decodeOptionalFailureToOptionalError(loadedDataConverter, failed.failure).catch(
      (reason: unknown) => (reason instanceof Error ? reason : undefined),
    );
    return explainTaskFailure(error?.message ?? 'unknown error');
  }
  if (!timedOut || attempt < timeoutsThatMatter) return undefined;
  return { message: 'no worker completes it in time', remedy: 'Check the load and the logs of the workers.' };
}

/** Explains the failure of a workflow task. */
export function explainTaskFailure(message: string): Pick<FailingTask, 'message' | 'remedy'> {
  const changed =
    "The worker's workflow code is not the code that this run began with. Run the version or the slices that it began with " +
    'again, and it continues by itself.';
  const defect =
    'Workflow code of the worker throws an error. Correct or update the worker, and the run continues by itself.';
  const keyless = 'Start a worker that has this key in BATON_ENCRYPTION_KEYS, and the run continues by itself.';
  const isKeyless = message.includes('is encrypted with the key');
  const remedy = message.includes('Nondeterminism') ? changed : isKeyless ? keyless : defect;
  return { message, remedy: `${remedy} It can't be cancelled until then, only terminated.` };
}
