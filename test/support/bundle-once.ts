import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectRoot } from './paths';
import { until } from './until';

/** Folder for bundles that all test files of one run share. Set for the processes that run them. */
export const bundlesVariable = 'BATON_TEST_BUNDLES';

/**
 * Bundles workflow code of a test, as a worker does that is started from this folder. Only the first test file that asks for
 * it takes the seconds of processor time that this costs; the others get the same file.
 */
export async function bundleOnce(workflowsPath: string): Promise<{ readonly codePath: string }> {
  const folder = process.env[bundlesVariable];
  if (folder === undefined) throw new Error('No folder for bundles: run the tests with `npm test`');
  const codePath = join(folder, `${createHash('sha256').update(workflowsPath).digest('hex').slice(0, 16)}.js`);
  if (!isFirst(codePath)) {
    await until(() => existsSync(codePath) || undefined);
    return { codePath };
  }
  const { code } = await bundleWorkflowCode({
    workflowsPath,
    payloadConverterPath: join(projectRoot, 'workflows', 'payload-converter.ts'),
    failureConverterPath: join(projectRoot, 'workflows', 'failure-converter.ts'),
    logger: new DefaultLogger('ERROR'),
  });
  // Renamed when complete: others must not read half a bundle.
  await writeFile(`${codePath}.part`, code);
  await rename(`${codePath}.part`, codePath);
  return { codePath };
}

/** Whether nobody has begun with this file. */
function isFirst(codePath: string): boolean {
  try {
    mkdirSync(`${codePath}.begun`);
    return true;
  } catch {
    return false;
  }
}
