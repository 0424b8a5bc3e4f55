import type { WorkerOptions } from '@temporalio/worker';
import { readFile } from 'node:fs/promises';
import { InvalidInputError } from '../../domain/kernel';
import type { BatonPluginOptions } from '../worker-options';
import { fingerprintOf } from '../workflow-code';

type Deployment = BatonPluginOptions['deployment'];

/**
 * The version of a worker. Without versioning, the server is still told a build id, so that others can see that two workers
 * differ. The name of a deployment is then left empty because the server would store it with every workflow task.
 */
export function deploymentOptions(
  deployment: Deployment,
  codeId: string,
): NonNullable<WorkerOptions['workerDeploymentOptions']> {
  if (deployment === undefined) return { version: { deploymentName: '', buildId: codeId }, useWorkerVersioning: false };
  const { name: deploymentName, buildId = codeId } = deployment;
  return {
    version: { deploymentName, buildId },
    useWorkerVersioning: true,
    defaultVersioningBehavior: 'PINNED',
  };
}

/** The version of a worker with workflows of its own: nothing, unless Baton was given a deployment and the worker none. */
export async function deploymentOfTeam(
  deployment: Deployment,
  { workflowBundle, workflowsPath, workerDeploymentOptions }: WorkerOptions,
): Promise<Pick<WorkerOptions, 'workerDeploymentOptions'>> {
  if (deployment === undefined || workerDeploymentOptions !== undefined) return {};
  if (workflowBundle === undefined && workflowsPath === undefined) return {};
  if (workflowBundle !== undefined)
    return { workerDeploymentOptions: deploymentOptions(deployment, fingerprintOf(await codeOf(workflowBundle))) };
  if (deployment.buildId !== undefined)
    return { workerDeploymentOptions: deploymentOptions(deployment, deployment.buildId) };
  const reason = 'it is missing, and your workflows are bundled only after it is needed';
  throw new InvalidInputError('deployment.buildId', reason, 'Pass one, or a bundle instead of workflowsPath.');
}

/** The code of a bundle, which may be in a file. */
export function codeOf(bundle: NonNullable<WorkerOptions['workflowBundle']>): Promise<string> {
  return 'code' in bundle ? Promise.resolve(bundle.code) : readFile(bundle.codePath, 'utf8');
}
