import type { DataConverter, PayloadCodec } from '@temporalio/common';
import type { KeyRing } from './key-ring';
import { EncryptionCodec } from './payload-codec';

/**
 * Data converter of a client. With keys, everything that it sends is encrypted. Without, it refuses to read what is
 * encrypted, in one sentence.
 *
 * @example
 * ```ts
 * import { Client, Connection } from '@temporalio/client';
 * import { clientDataConverter, readSettings } from 'baton-agents';
 *
 * async function connect(): Promise<Client> {
 *   const dataConverter = clientDataConverter(readSettings().encryption);
 *   return new Client({ connection: await Connection.connect(), dataConverter });
 * }
 * ```
 */
export function clientDataConverter(keys: KeyRing | undefined): DataConverter {
  return { payloadCodecs: [new EncryptionCodec(keys)] };
}

/** Codecs of a worker, given those of its client: both read and write the same. */
export function workerCodecs(codecs: readonly PayloadCodec[]): PayloadCodec[] {
  return codecs.flatMap((codec) => {
    if (!(codec instanceof EncryptionCodec)) return [codec];
    // Without keys there is nothing to do: the payload converter of workers recognizes what is encrypted.
    return codec.keys === undefined ? [] : [codec.forWorker()];
  });
}

/** Codecs of a client that lists executions, given those of the client itself: what it can't read is null. */
export function overviewCodecs(codecs: readonly PayloadCodec[]): PayloadCodec[] {
  return codecs.map((codec) => (codec instanceof EncryptionCodec ? codec.forOverview() : codec));
}

/** Whether payloads are encrypted, or encoded by a codec of a project's own, so that failures have to be as well. */
export function encodesPayloads(codecs: readonly PayloadCodec[]): boolean {
  return codecs.some((codec) => !(codec instanceof EncryptionCodec) || codec.keys !== undefined);
}
