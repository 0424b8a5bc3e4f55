import { setTimeout } from 'node:timers/promises';
import { isStoreTrouble } from '../domain/store';
import { Attempt } from './attempt';

/** Time for which a write is repeated, and time between two of them, in milliseconds. */
const patienceMs = 60_000;
const betweenMs = 500;

/**
 * Writes something that can't be had again. If the store fails, leaves the bytes to the next attempt. If they are too large
 * for that, only this process has them: it repeats the write for a minute.
 */
export async function saveOrLeave<Result>(
  key: string,
  bytes: () => Uint8Array,
  write: () => Promise<Result>,
): Promise<Result> {
  const attempt = Attempt.current();
  try {
    return await write();
  } catch (error) {
    if (attempt.leaveUnsaved(key, bytes()) || !isStoreTrouble(error)) throw error;
    return writePatiently(attempt, write);
  }
}

async function writePatiently<Result>(attempt: Attempt, write: () => Promise<Result>): Promise<Result> {
  const end = performance.now() + patienceMs;
  for (;;) {
    await setTimeout(betweenMs);
    // Not every caller does this meanwhile.
    attempt.heartbeat();
    try {
      return await write();
    } catch (error) {
      if (!isStoreTrouble(error) || performance.now() >= end) throw error;
    }
  }
}
