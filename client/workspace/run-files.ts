import type { Client } from '@temporalio/client';
import type { BlobRef } from '../../domain/store/blob-ref';
import type { FileState } from '../../domain/workspace/changes';

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

/** Source of a run's files and artifacts. Throws a `CliError` when they can't be read. */
export interface RunFiles {
  workspaceOf(client: Client, runId: string): Promise<RunWorkspace>;
  artifactsOf(client: Client, runId: string): Promise<readonly RunArtifact[]>;
}
