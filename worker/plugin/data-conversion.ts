import type { Client } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import { InvalidInputError } from '../../domain/kernel';
import { encodesPayloads, workerCodecs } from '../../encryption/data-converter';
import type { BatonPluginOptions } from '../worker-options';
import { payloadConverterPath } from '../workflow-code';

/** Path of the failure converter that makes messages and stacks payloads. */
const encodedFailuresPath = require.resolve('../../workflows/encoded-failures');

/**
 * Returns the data converter of a worker, given its client: what one of them writes, the other reads. A client that
 * encrypts makes a worker that encrypts.
 */
export function workerDataConverter(client: Pick<Client, 'options'>): DataConverter {
  return { payloadConverterPath, ...encryptionOf(client) };
}

/** The part of it that a worker with workflows of its own needs as well: nothing, unless the client encrypts. */
export function encryptionOf({ options }: Pick<Client, 'options'>): DataConverter {
  const { payloadCodecs } = options.loadedDataConverter;
  if (!encodesPayloads(payloadCodecs)) return {};
  return { payloadCodecs: workerCodecs(payloadCodecs), failureConverterPath: encodedFailuresPath };
}

/** Rejects a store in which what the client encrypts would be readable. A store of a project's own need not say. */
export function requireSameEncryption({ client, store }: Pick<BatonPluginOptions, 'client' | 'store'>): void {
  if (store.isEncrypted !== false || !encodesPayloads(client.options.loadedDataConverter.payloadCodecs)) return;
  throw new InvalidInputError(
    'store',
    'the client encrypts, but the store does not',
    'Open the store with the same keys: openStore(settings)',
  );
}
