import { type RawValue, rawValueTypeInfo, type TypeInfo } from '@temporalio/common';
import { log, patched, workflowInfo } from '@temporalio/workflow';
import { KeyMissingError, missingKeyOf } from '../domain/store';
import { failure } from './failures';
import { decodeMessage } from './payload-converter';

// Messages that are encrypted with a key which the worker does not have. Anyone who may reach the namespace can send one, so
// it is refused; only what an earlier worker has accepted makes the workflow wait for the key.

/**
 * Lets a handler get its arguments as they were sent, however many there are. Otherwise the SDK would decode them first, and
 * could not tell a message from the workflow's own data.
 */
export const asSent: { readonly inputTypes: readonly TypeInfo[] } = {
  inputTypes: new Proxy<TypeInfo[]>([], { get: () => rawValueTypeInfo }),
};

/** Decodes the argument of a message. Throws a failure, with which it is refused, if its key is missing. */
export function decodeOrRefuse(argument: RawValue | undefined): unknown {
  const value = decodeMessage(argument);
  const keyId = missingKeyOf(value);
  if (keyId === undefined) return value;
  throw failure('Encryption.KeyMissing', `input: ${reasonFor(keyId)}`);
}

/** Decodes the argument of a message that was accepted. If its key is missing, the workflow task fails until a worker has it. */
export function decodeAccepted(argument: RawValue | undefined): unknown {
  const value = decodeMessage(argument);
  const keyId = missingKeyOf(value);
  if (keyId === undefined) return value;
  throw new KeyMissingError(keyId, 'A message that this run has accepted');
}

/**
 * Decodes the argument of a Signal, given how many with its name came before it. Returns undefined if the Signal is ignored
 * because its key was missing when it arrived. That is recorded, because a worker that replays it may have the key.
 */
export function decodeSignal(
  name: string,
  earlier: number,
  argument: RawValue | undefined,
): { readonly value: unknown } | undefined {
  const marker = `ignored-signal-${name}-${earlier + 1}`;
  const value = decodeMessage(argument);
  const keyId = missingKeyOf(value);
  if (keyId === undefined) return workflowInfo().unsafe.isReplaying && patched(marker) ? undefined : { value };
  if (!patched(marker)) return { value: decodeAccepted(argument) };
  log.warn(`Ignored the Signal ${name}: it ${reasonFor(keyId)}`);
  return undefined;
}

function reasonFor(keyId: string): string {
  return (
    `is encrypted with the key "${keyId}", which is not among the keys of the worker. Add it to BATON_ENCRYPTION_KEYS of all ` +
    'workers, restart them, and send it again.'
  );
}
