import { log } from '@temporalio/activity';
import type { EndingRecord, recordEndingActivity, RecordEndingInput } from '../../domain/agent';
import { nothingSpent } from '../../domain/budget';
import type { ResultOf } from '../../domain/kernel';
import { artifactsSlice, recordsOf } from '../../domain/session';
import type { RunStore } from '../../domain/store';
import { PaidCallReader } from '../../store/paid-calls';
import { putEndingRecord } from '../../store/run-record';
import { runStoreFor, type SharedDependencies } from '../dependencies';
import { resolveSlices } from '../session/snapshots';

/** Records how an agent ended. */
export async function recordEnding(
  { uncachedStore }: Pick<SharedDependencies, 'uncachedStore'>,
  { runId, storeId, execution, files, looksUpSpending, ...ending }: RecordEndingInput,
): Promise<ResultOf<typeof recordEndingActivity>> {
  const store = runStoreFor(uncachedStore, { runId, storeId });
  await putEndingRecord(store, execution, {
    ...ending,
    files: files === undefined ? null : await filesOf(store, files),
  });
  return looksUpSpending === true ? spendingOf(store, ending.agent) : null;
}

async function filesOf(
  store: RunStore,
  { workspace, session }: NonNullable<RecordEndingInput['files']>,
): Promise<NonNullable<EndingRecord['files']>> {
  const records = recordsOf(await resolveSlices(store, session), artifactsSlice);
  return { workspace, artifacts: records.map(({ name, ref }) => ({ name, ref })) };
}

/** A journal that can't be read must not keep an agent from ending: what it counted itself is nearly always the same. */
async function spendingOf(store: RunStore, agent: string): Promise<ResultOf<typeof recordEndingActivity>> {
  try {
    const spending = await new PaidCallReader(store).read();
    const withDelegations = spending?.withDelegations(agent);
    if (spending === undefined || withDelegations === undefined) return null;
    return { own: spending.own(agent) ?? nothingSpent, withDelegations };
  } catch (error) {
    log.warn('What the agent spent could not be looked up; using its own count', { error: String(error) });
    return null;
  }
}
