import type { Client } from '@temporalio/client';
import { type AgentFiles, readRootMemo } from '../../domain/agent';
import { runWorkflowId } from '../../domain/kernel';
import type { BlobRef, RunStore } from '../../domain/store';
import type { FileState } from '../../domain/workspace';
import { foldChanges } from '../../store/workspace/fold';
import { filesQuery } from '../../workflows/messages';
import { describeRun } from '../agent/outcome';
import { BatonError } from '../client-errors';

/** The files of a run: the mounted tree, and the current one. */
export interface RunWorkspace {
  readonly runId: string;
  readonly base: BlobRef;
  readonly root: BlobRef;
  /** Changes that are not folded into `root` yet. */
  readonly changes: readonly FileState[];
  /** Path of the mounted folder, as workers see it. */
  readonly folder?: string;
}

/** An artifact, as a ref into the store. */
export interface RunArtifact {
  readonly name: string;
  readonly ref: BlobRef;
  /** Workflow id of the agent that wrote it. */
  readonly by?: string;
}

/** Source of a run's files and artifacts. Throws a `BatonError` when they can't be read. */
export interface RunFiles {
  workspaceOf(client: Client, runId: string): Promise<RunWorkspace>;
  artifactsOf(client: Client, runId: string): Promise<readonly RunArtifact[]>;
}

const patienceMs = 10_000;

/** Queries the run itself. Any worker can answer, even after the run has ended. */
export const queriedFiles: RunFiles = {
  async workspaceOf(client, runId) {
    const { memo } = await describeRun(client, runId);
    const { workspace } = await queryFiles(client, runId);
    if (workspace === null) throw new BatonError('Client.NoWorkspace', `Run ${runId} has no workspace.`);
    const { workspace: folder } = readRootMemo(memo);
    return { runId, ...workspace, ...(folder === undefined ? {} : { folder }) };
  },
  async artifactsOf(client, runId) {
    await describeRun(client, runId);
    return (await queryFiles(client, runId)).artifacts;
  },
};

async function queryFiles(client: Client, runId: string): Promise<AgentFiles> {
  const handle = client.workflow.getHandle(runWorkflowId(runId));
  try {
    return await client.withDeadline(Date.now() + patienceMs, () => handle.query(filesQuery));
  } catch {
    throw new BatonError('Client.NoWorker', `No worker answered for run ${runId}.`, 'Start one with: baton worker');
  }
}

/** Folds a run's pending changes and returns the new root. */
export function foldedRoot(store: RunStore, { root, changes }: RunWorkspace): Promise<BlobRef> {
  return foldChanges(store, root, changes);
}
