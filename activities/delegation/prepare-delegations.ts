import { log } from '@temporalio/activity';
import { packPrepared, type PreparedTogether } from '../../domain/delegation';
import type { DispatchCall, PrepareDelegationsInput } from '../../domain/delegation/prepare';
import { maxPayloadBytes } from '../../domain/store';
import { measurePayload } from '../../store/blobs';
import type { SharedDependencies } from '../dependencies';
import { prepareDelegation } from './prepare-delegation';

/** Room for what surrounds the entries in the payload. */
const envelopeBytes = 1024;

/**
 * Prepares the delegations of some calls of one reply. One that can't be prepared does not hold up the others: it is left
 * out, and its parent has it prepared alone. If none of them can, this attempt fails.
 */
export async function prepareDelegations(
  dependencies: SharedDependencies,
  { calls, ...common }: PrepareDelegationsInput,
): Promise<PreparedTogether> {
  const ended = await Promise.allSettled(calls.map((one) => prepareDelegation(dependencies, { ...common, ...one })));
  const [first] = ended;
  if (first?.status === 'rejected' && ended.every(({ status }) => status === 'rejected')) throw first.reason;
  ended.forEach((end, index) => {
    if (end.status === 'rejected') logLeftOut(calls[index], end.reason);
  });
  const prepared = ended.map((end) => (end.status === 'fulfilled' ? end.value : null));
  const maxBytes = maxPayloadBytes - envelopeBytes;
  return packPrepared(common.parent.opened, prepared, { maxBytes, size: measurePayload });
}

function logLeftOut(dispatch: DispatchCall | undefined, reason: unknown): void {
  log.warn('A delegation could not be prepared with the others of its reply', {
    callId: dispatch?.call.id,
    reason: String(reason),
  });
}
