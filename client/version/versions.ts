import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { silenceMs } from '../../temporal-config/node/activity-workers';

/** One version of a worker deployment, as the server sees it. */
export interface DeploymentVersion {
  readonly buildId: string;
  /** `current` gets new runs, `ramping` a share of them, `draining` still has open ones, `drained` and `inactive` none. */
  readonly status: 'current' | 'ramping' | 'draining' | 'drained' | 'inactive';
  /** Percentage of new runs that a ramping version gets; null for others. */
  readonly ramp: number | null;
  /** Open workflows that are pinned to it: runs, delegations and session hosts. */
  readonly open: number;
  /** Workers of this version that poll the task queue. */
  readonly workers: number;
}

/** A worker deployment and its versions, newest first. */
export interface Deployment {
  readonly name: string;
  readonly versions: readonly DeploymentVersion[];
}

const { WorkerDeploymentVersionStatus: statuses } = temporal.api.enums.v1;

/** Names of the server's states. */
const statusNames = new Map<unknown, DeploymentVersion['status']>([
  [statuses.WORKER_DEPLOYMENT_VERSION_STATUS_CURRENT, 'current'],
  [statuses.WORKER_DEPLOYMENT_VERSION_STATUS_RAMPING, 'ramping'],
  [statuses.WORKER_DEPLOYMENT_VERSION_STATUS_DRAINING, 'draining'],
  [statuses.WORKER_DEPLOYMENT_VERSION_STATUS_DRAINED, 'drained'],
]);

/** Reads the versions of a deployment. Throws the server's error if it does not know the deployment. */
export async function readDeployment(client: Client, name: string, taskQueue: string): Promise<Deployment> {
  const { namespace } = client.options;
  const { workerDeploymentInfo } = await client.workflowService.describeWorkerDeployment({
    namespace,
    deploymentName: name,
  });
  const workers = await countWorkers(client, taskQueue);
  const { rampingDeploymentVersion, rampingVersionPercentage } = workerDeploymentInfo?.routingConfig ?? {};
  const versions = (workerDeploymentInfo?.versionSummaries ?? []).map(async ({ deploymentVersion, status }) => {
    const buildId = deploymentVersion?.buildId ?? '';
    const query = `TemporalWorkerDeploymentVersion = ${JSON.stringify(`${name}:${buildId}`)} AND ExecutionStatus = 'Running'`;
    return {
      buildId,
      status: statusNames.get(status) ?? ('inactive' as const),
      ramp: rampingDeploymentVersion?.buildId === buildId ? (rampingVersionPercentage ?? 0) : null,
      open: (await client.workflow.count(query)).count,
      workers: workers.get(buildId) ?? 0,
    };
  });
  return { name, versions: await Promise.all(versions) };
}

async function countWorkers(client: Client, taskQueue: string): Promise<ReadonlyMap<string, number>> {
  const { pollers } = await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: temporal.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
  });
  const workers = new Map<string, number>();
  for (const { lastAccessTime, deploymentOptions } of pollers) {
    const age = Date.now() - Number(String(lastAccessTime?.seconds ?? 0)) * 1_000;
    const buildId = deploymentOptions?.buildId ?? '';
    if (age < silenceMs) workers.set(buildId, (workers.get(buildId) ?? 0) + 1);
  }
  return workers;
}

/** Makes a version the current one: new runs begin with it, and runs that hand off continue with it. */
export async function setCurrentVersion(client: Client, name: string, buildId: string): Promise<string | undefined> {
  const { previousDeploymentVersion } = await client.workflowService.setWorkerDeploymentCurrentVersion({
    namespace: client.options.namespace,
    deploymentName: name,
    buildId,
    identity: client.options.identity,
  });
  return previousDeploymentVersion?.buildId ?? undefined;
}
