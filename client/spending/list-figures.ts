import type { Client } from '@temporalio/client';
import { type AgentFigures, noFigures } from '../../domain/budget';
import { mapWithLimit, owningRunId } from '../../domain/kernel';
import type { Store } from '../../domain/store';
import { figuresIn, PaidCallReader } from '../../store/paid-calls';
import { readQuickFigures } from './quick-figures';

const maxConcurrent = 8;

/**
 * Reads what the root of each run of a list consumed, alone and with all its delegations, by workflow id: from the store, or else from the server
 * if a request or two are enough. The others are omitted.
 */
export async function readListFigures(
  client: Client,
  workflowIds: readonly string[],
  store: Store | undefined,
): Promise<ReadonlyMap<string, AgentFigures>> {
  const found = await mapWithLimit(workflowIds, maxConcurrent, async (workflowId) => {
    const stored = store === undefined ? undefined : await ofRun(store, workflowId).catch(() => undefined);
    const figures = stored ?? (await readQuickFigures(client, workflowId).catch(() => undefined));
    return figures === undefined ? [] : [[workflowId, figures] as const];
  });
  return new Map(found.flat());
}

/** Reads what a run consumed from the store alone. */
export async function readStoredFigures(store: Store, workflowId: string): Promise<AgentFigures> {
  return (await ofRun(store, workflowId)) ?? { own: noFigures, withDelegations: noFigures };
}

async function ofRun(store: Store, workflowId: string): Promise<AgentFigures | undefined> {
  const spending = await new PaidCallReader(store.forRun(owningRunId(workflowId))).read();
  return spending && figuresIn(spending, workflowId);
}
