import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { descendantsQuery } from '../../client/agent/find-agent';
import { formatDuration } from '../../client/format';
import { runWorkflowId } from '../../domain/kernel';
import { BlobCorruptError, formatPlace, isSamePlace, type Store, type StoredRun } from '../../domain/store';
import { findRunPlace } from '../../store/run-place';
import type { ServerPlace } from '../../temporal-config/node/server-place';
import { overview } from '../../temporal-config/node/overview';

/**
 * Whether a run's data can be deleted. `unverified`: the server that the run was started on could not be asked, so the
 * run may still be running there.
 */
export type Verdict = { readonly kind: 'ended' } | { readonly kind: 'running' | 'unverified'; readonly reason: string };

/** A damaged record says as little as a missing one, and must not keep other runs from being deleted. */
function damagedAsUndefined(error: unknown): undefined {
  if (error instanceof BlobCorruptError) return undefined;
  throw error;
}

/** Finds out whether runs have ended. */
export class RunVerdicts {
  constructor(
    private readonly client: Client,
    private readonly store: Store,
    /** The connected server; undefined if it does not tell its identity. */
    private readonly here: ServerPlace | undefined,
  ) {}

  /** Judges a run by what the server reports now. */
  async judge(run: StoredRun): Promise<Verdict> {
    const root = await this.stateOf(runWorkflowId(run.runId));
    const open = root === 'open' ? runWorkflowId(run.runId) : await this.openBelow(run.runId);
    if (open !== undefined) return { kind: 'running', reason: `${open} is still running` };
    const doubt = await this.doubt(run, root === 'unknown');
    return doubt === undefined ? { kind: 'ended' } : { kind: 'unverified', reason: doubt };
  }

  /** Returns why this server's answer may not be the truth; undefined if it is the server that has the run. */
  private async doubt({ runId, lastWrittenAt }: StoredRun, isUnknown: boolean): Promise<string | undefined> {
    const { here } = this;
    const recorded = await findRunPlace(this.store.forRun(runId)).catch(damagedAsUndefined);
    if (recorded === undefined) return 'it is not recorded which server it was started on, or the record is damaged';
    if (here === undefined)
      return `it was started in ${formatPlace(recorded)}, and this server does not tell its identity`;
    if (!isSamePlace(recorded, here))
      return `it was started in ${formatPlace(recorded)}, and this is ${formatPlace(here)}`;
    // An execution that is open is never removed. So one that is missing before its time points to a damaged database.
    const isTooYoung = Date.now() - lastWrittenAt < here.retentionMs;
    return isUnknown && isTooYoung
      ? `the server does not know it, although it keeps runs for ${formatDuration(here.retentionMs)} after their end`
      : undefined;
  }

  /** A workflow has at most one open execution, and it is the latest one. */
  private async stateOf(workflowId: string): Promise<'open' | 'closed' | 'unknown'> {
    try {
      const { status } = await overview(this.client).getHandle(workflowId).describe();
      return status.name === 'RUNNING' ? 'open' : 'closed';
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return 'unknown';
      throw error;
    }
  }

  /**
   * Returns an open execution below a root that is not: a delegation that was adopted after a reset can outlive its
   * root. The server's list lags behind, so each entry is looked at.
   */
  private async openBelow(runId: string): Promise<string | undefined> {
    const root = runWorkflowId(runId).replaceAll("'", "''");
    const query = `${descendantsQuery(root)} AND ExecutionStatus = 'Running'`;
    for await (const { workflowId } of overview(this.client).list({ query })) {
      if ((await this.stateOf(workflowId)) === 'open') return workflowId;
    }
    return undefined;
  }
}
