import { bundleWorkflowCode, Runtime, type WorkerOptions } from '@temporalio/worker';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { encodesPayloads } from '../encryption/data-converter';
import { sharedModules } from './shared-modules';
import type { BatonWorkerOptions } from './worker-options';

/** The code of the workflows that a worker runs. */
export interface WorkflowCode {
  readonly workflowBundle: NonNullable<WorkerOptions['workflowBundle']>;
  /**
   * Identifies the code. The worker tells it to the server as its build id, so that others can see that two workers, or a
   * worker and the one that a run began with, differ.
   */
  readonly buildId: string;
}

type CodeOptions = Pick<BatonWorkerOptions, 'client' | 'traces' | 'workflowsPath' | 'workflowBundlePath'>;

/** Path of the payload converter of all workers. */
export const payloadConverterPath = require.resolve('../workflows/payload-converter');
const failureConverterPath = require.resolve('../workflows/failure-converter');

/** A statement before the code of the workflows, which makes messages of failures payloads. */
const encodeFailures = 'globalThis.__batonEncodesFailures = true;';

/**
 * Uses the prebuilt bundle, which starts fast and is the same in all workers of a release, or else bundles the sources.
 */
export async function loadWorkflowCode(options: CodeOptions): Promise<WorkflowCode> {
  const { client, traces, workflowsPath, workflowBundlePath } = options;
  const codePath = workflowBundlePath ?? join(__dirname, '..', `workflow-bundle${traces ? '-traced' : ''}.js`);
  const isBuilt = workflowsPath === undefined && existsSync(codePath);
  const code = isBuilt ? await readFile(codePath, 'utf8') : await bundled(options);
  const buildId = fingerprintOf(code);
  if (encodesPayloads(client.options.loadedDataConverter.payloadCodecs))
    return { workflowBundle: { code: encodeFailures + code }, buildId };
  return { workflowBundle: isBuilt ? { codePath } : { code }, buildId };
}

async function bundled({ traces, workflowsPath }: CodeOptions): Promise<string> {
  // Only compiled modules have exports that can be shared between executions.
  const isShared = workflowsPath !== undefined && __filename.endsWith('.js');
  const { code } = await bundleWorkflowCode({
    logger: Runtime.instance().logger,
    workflowsPath: workflowsPath ?? require.resolve('../workflows'),
    workflowInterceptorModules: [...(traces?.workflowModules ?? [])],
    payloadConverterPath,
    failureConverterPath,
    ...(isShared ? sharedModules([require.resolve('../workflows/extend')]) : {}),
  });
  return code;
}

const sourceMap = /^\/\/# sourceMappingURL=.*$/gm;
/** Six events of every turn contain it, so it is short. */
const fingerprintLength = 5;

/** Hashes code without its source map, which contains paths of the machine that built it. */
export function fingerprintOf(code: string): string {
  const digest = createHash('sha256').update(code.replace(sourceMap, '')).digest('hex');
  return BigInt(`0x${digest.slice(0, 12)}`)
    .toString(36)
    .padStart(fingerprintLength, '0')
    .slice(-fingerprintLength);
}
