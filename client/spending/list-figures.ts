import { type Figures, figuresOf, noFigures } from '../../domain/budget';
import { mapWithLimit, owningRunId } from '../../domain/kernel';
import type { Store } from '../../domain/store';
import { PaidCallReader } from '../../store/paid-calls';

const maxConcurrent = 8;

/**
 * Reads what each run of a list consumed with all its delegations, by workflow id. Runs that the store does not have are
 * omitted: asking the server would take several requests for each of them.
 */
export async function readListFigures(
  workflowIds: readonly string[],
  openStore: () => Promise<Store>,
): Promise<ReadonlyMap<string, Figures>> {
  const store = await openStore().catch(() => undefined);
  if (store === undefined) return new Map();
  const found = await mapWithLimit(workflowIds, maxConcurrent, async (workflowId) => {
    const figures = await ofRun(store, workflowId).catch(() => undefined);
    return figures === undefined ? [] : [[workflowId, figures] as const];
  });
  return new Map(found.flat());
}

/** Reads what a run consumed from the store alone. */
export async function readStoredFigures(store: Store, workflowId: string): Promise<Figures> {
  return (await ofRun(store, workflowId)) ?? noFigures;
}

async function ofRun(store: Store, workflowId: string): Promise<Figures | undefined> {
  const spending = await new PaidCallReader(store.forRun(owningRunId(workflowId))).read();
  if (spending === undefined) return undefined;
  const spent = spending.withDelegations(workflowId);
  return spent === undefined ? noFigures : figuresOf(spent);
}
