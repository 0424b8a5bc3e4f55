import { log } from '@temporalio/activity';
import type { PreparedDelegation, ReadyDelegation } from '../../domain/delegation/prepared';
import { toRefusedDelegation } from '../../domain/delegation/prepare/refusal';
import { canonicalJson } from '../../domain/kernel/canonical-json';
import type { RunStore } from '../../domain/store/store';

/**
 * Prepares a delegation, or returns the preparation journaled under its id: after a reset of the parent, the same
 * delegation must be the same child, byte for byte. A refusal is returned, not thrown, and not journaled.
 */
export async function prepareOnce(
  store: RunStore,
  id: string,
  prepare: () => Promise<ReadyDelegation>,
): Promise<PreparedDelegation> {
  const key = `delegation/${id}`;
  const earlier = await store.find(key);
  if (earlier !== undefined) return parsed(earlier);
  try {
    return parsed(await store.putIfAbsent(key, Buffer.from(canonicalJson(await prepare()))));
  } catch (error) {
    const refused = toRefusedDelegation(error, id);
    if (refused === undefined) throw error;
    log.warn('Delegation refused', { delegationId: id, type: refused.type, reason: refused.message });
    return refused;
  }
}

function parsed(bytes: Uint8Array): ReadyDelegation {
  return JSON.parse(Buffer.from(bytes).toString('utf8')) as ReadyDelegation;
}
