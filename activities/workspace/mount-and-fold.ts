import { log } from '@temporalio/activity';
import { stat } from 'node:fs/promises';
import { InvalidInputError } from '../../domain/kernel';
import type { BlobRef } from '../../domain/store';
import type { FoldWorkspaceInput, MountProgress, MountWorkspaceInput } from '../../domain/workspace';
import { foldChanges } from '../../store/workspace/fold';
import { runStoreFor, type SharedDependencies } from '../dependencies';
import { whileHeartbeating } from '../heartbeat';
import { importFolder } from './import-folder';
import type { ImportOptions } from './import-limits';

/** Imports a folder into the run's store. A repeated attempt does not write existing blobs again. */
export async function mountWorkspace(
  { uncachedStore, workspace }: SharedDependencies,
  { folder, ...location }: MountWorkspaceInput,
): Promise<BlobRef> {
  await checkFolder(folder);
  let progress: MountProgress | undefined;
  const options: ImportOptions = { ...workspace, onProgress: (latest) => (progress = latest) };
  const report = await whileHeartbeating(
    (signal) => importFolder(runStoreFor(uncachedStore, location), folder, { ...options, signal }),
    () => progress,
  );
  log.info('Mounted a workspace', {
    files: report.files,
    bytes: report.bytes,
    tooBig: report.tooBig,
    leftOut: report.leftOut,
  });
  return report.root;
}

/** Creates a new tree from an existing one and a list of changes. */
export function foldWorkspace(
  { store, treeCache }: SharedDependencies,
  { root, changes, ...location }: FoldWorkspaceInput,
): Promise<BlobRef> {
  return foldChanges(runStoreFor(store, location), root, changes, treeCache);
}

async function checkFolder(folder: string): Promise<void> {
  const found = await stat(folder).catch(() => undefined);
  if (found?.isDirectory() === true) return;
  throw new InvalidInputError(
    'workspace.root',
    `"${folder}" is not a folder on this worker's machine`,
    'Start the worker on the machine that has the folder, or pass another folder.',
  );
}
