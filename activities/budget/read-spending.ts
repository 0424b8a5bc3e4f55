import { nothingSpent, type readSpendingActivity } from '../../domain/budget';
import type { InputOf, ResultOf } from '../../domain/kernel';
import { PaidCallReader } from '../../store/paid-calls';
import { runStoreFor, type SharedDependencies } from '../dependencies';

/** Looks up what delegations have spent that ended without reporting it. */
export async function readSpending(
  { uncachedStore }: Pick<SharedDependencies, 'uncachedStore'>,
  { agents, ...location }: InputOf<typeof readSpendingActivity>,
): Promise<ResultOf<typeof readSpendingActivity>> {
  const spending = await new PaidCallReader(runStoreFor(uncachedStore, location)).read();
  return agents.map((agent) => spending?.withDelegations(agent) ?? nothingSpent);
}
