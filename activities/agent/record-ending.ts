import type { RecordEndingInput } from '../../domain/agent';
import { artifactsSlice, recordsOf } from '../../domain/session';
import { putEndingRecord } from '../../store/run-record';
import { runStoreFor, type SharedDependencies } from '../dependencies';
import { resolveSlices } from '../session/snapshots';

/** Records how an agent ended. */
export async function recordEnding(
  { uncachedStore }: Pick<SharedDependencies, 'uncachedStore'>,
  { runId, storeId, execution, files, ...ending }: RecordEndingInput,
): Promise<void> {
  const store = runStoreFor(uncachedStore, { runId, storeId });
  if (files === undefined) return putEndingRecord(store, execution, { ...ending, files: null });
  const session = await resolveSlices(store, files.session);
  const artifacts = recordsOf(session, artifactsSlice).map(({ name, ref }) => ({ name, ref }));
  await putEndingRecord(store, execution, { ...ending, files: { workspace: files.workspace, artifacts } });
}
