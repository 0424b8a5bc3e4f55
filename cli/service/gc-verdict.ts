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
    const root = await this.look(runWorkflowId(run.runId));
    const open = root.state === 'open' ? root.workflowId : await this.openBelow(root);
    if (open !== undefined) return { kind: 'running', reason: `${open} is still running` };
    const doubt = await this.doubt(run, root.state === 'unknown');
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

  /** Reads the state of a workflow. It has at most one open execution, which is the latest one. */
  private async look(workflowId: string): Promise<Looked> {
    try {
      const { status, raw } = await overview(this.client).getHandle(workflowId).describe();
      const children = (raw.pendingChildren ?? []).flatMap((child) => child.workflowId ?? []);
      return { workflowId, state: status.name === 'RUNNING' ? 'open' : 'closed', children };
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return { workflowId, state: 'unknown', children: [] };
      throw error;
    }
  }

  /**
   * Returns an open execution below a root that is not: a delegation that was adopted after a reset can outlive its
   * root. The server's list lags behind in both ways. So each entry is looked at, and the children that the server had
   * for a workflow when it closed are looked at too, whether or not they are listed yet.
   */
  private async openBelow(root: Looked): Promise<string | undefined> {
    const query = `${descendantsQuery(root.workflowId.replaceAll("'", "''"))} AND ExecutionStatus = 'Running'`;
    for await (const { workflowId } of overview(this.client).list({ query })) {
      const { state } = await this.look(workflowId);
      if (state === 'open') return workflowId;
    }
    return this.openChild(root);
  }

  private async openChild({ children }: Looked): Promise<string | undefined> {
    for (const child of children) {
      const looked = await this.look(child);
      const open = looked.state === 'open' ? child : await this.openChild(looked);
      if (open !== undefined) return open;
    }
    return undefined;
  }
}

/** A workflow, as the server describes it now. */
interface Looked {
  readonly workflowId: string;
  readonly state: 'open' | 'closed' | 'unknown';
  /** Workflow ids of children that had not ended when it closed, or have not ended if it is open. */
  readonly children: readonly string[];
}
