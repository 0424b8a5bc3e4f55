import type { Client } from '@temporalio/client';
import type { BlobRef } from '../../domain/store/blob-ref';
import type { FileState } from '../../domain/workspace/change';

/** The files of a run: as they were mounted, and as they are now. */
export interface RunWorkspace {
  readonly runId: string;
  readonly base: BlobRef;
  readonly root: BlobRef;
  /** Not folded into the root yet. */
  readonly changes: readonly FileState[];
  /** The folder that was mounted, as the workers see it. */
  readonly folder?: string;
}

export interface RunArtifact {
  readonly name: string;
  readonly ref: BlobRef;
  /** The agent that wrote it. */
  readonly by?: string;
}

/** Where commands learn what a run did to its files. Throws a `CliError` when nobody can tell. */
export interface RunFiles {
  workspaceOf(client: Client, runId: string): Promise<RunWorkspace>;
  artifactsOf(client: Client, runId: string): Promise<readonly RunArtifact[]>;
}
