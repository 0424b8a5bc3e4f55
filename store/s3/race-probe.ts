import { randomUUID } from 'node:crypto';
import { StoreUnavailableError } from '../../domain/store';
import type { Bucket } from './bucket';
import { LastByteGate } from './last-byte-gate';

const keys = 20;
const writersOfEach = 16;
/** More than a server reads before it looks at the condition. Short bodies arrive with the head of a request. */
const bytesOfEach = 100_000;
/** A server that passed is believed for a day. It may be replaced by another one behind the same address. */
const validMs = 24 * 60 * 60 * 1000;
const passedKey = 'race-probe-passed';

/**
 * Throws unless the server lets exactly one of many writers create an object. Servers that claim to support the condition
 * `If-None-Match: *` often check it first and write later, so that several writers win.
 */
export async function assertOneWinner(bucket: Bucket): Promise<void> {
  const passed = await bucket.head(passedKey);
  if (passed !== undefined && Date.now() - passed.writtenAt < validMs) return;
  const folder = `probe/${randomUUID()}/`;
  try {
    for (let number = 0; number < keys; number += 1) {
      const winners = await race(bucket, `${folder}${number}`);
      if (winners !== 1) throw refusal(bucket.location, winners);
    }
  } finally {
    await bucket.removeAll(folder);
  }
  await bucket.put(passedKey, new Uint8Array());
}

async function race(bucket: Bucket, key: string): Promise<number> {
  const gate = new LastByteGate(writersOfEach);
  const attempts = Array.from({ length: writersOfEach }, (_, writer) =>
    bucket.create(key, Buffer.alloc(bytesOfEach, String(writer)), gate),
  );
  const ends = await Promise.allSettled(attempts);
  const winners = ends.filter((end) => end.status === 'fulfilled' && end.value).length;
  const failed = ends.find((end) => end.status === 'rejected');
  // A server may close the connection of a writer that has lost before it has read everything.
  if (winners === 0 && failed !== undefined) throw failed.reason;
  return winners;
}

function refusal(location: string, winners: number): StoreUnavailableError {
  return new StoreUnavailableError(
    location,
    `its server let ${winners} of several writers create the same object, so it can't keep the journal; ` +
      'add ?journal=postgres://<host>/<database> to BATON_STORE',
  );
}
