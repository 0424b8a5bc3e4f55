const minute = 60_000;

/**
 * A token bucket: what may be used now, and how fast more becomes available. It has no clock; times are milliseconds from
 * any one clock.
 */
export interface Bucket {
  /** What becomes available in a millisecond. */
  readonly perMs: number;
  /** What can be saved up. */
  readonly capacity: number;
  /** What was available at `at`. Below zero after more was used than there was. */
  readonly level: number;
  readonly at: number;
}

/** Creates a full bucket. What it holds is used up at most `seconds` faster than it is refilled. */
export function createBucket(perMinute: number, seconds: number, now: number): Bucket {
  const capacity = Math.max(1, (perMinute / 60) * seconds);
  return { perMs: perMinute / minute, capacity, level: capacity, at: now };
}

/** Changes how fast a bucket is refilled. What it has stays, as far as it can still be saved up. */
export function refillAt(bucket: Bucket, perMinute: number, seconds: number, now: number): Bucket {
  const full = createBucket(perMinute, seconds, now);
  return { ...full, level: Math.min(full.capacity, levelAt(bucket, now)) };
}

/** Takes an amount, also one that is not there: whoever comes next waits until it is made up for. */
export function take(bucket: Bucket, amount: number, now: number): Bucket {
  return { ...bucket, level: levelAt(bucket, now) - amount, at: Math.max(bucket.at, now) };
}

/** Gives back what was taken and not used. A negative amount takes more. */
export function giveBack(bucket: Bucket, amount: number, now: number): Bucket {
  const level = Math.min(bucket.capacity, levelAt(bucket, now) + amount);
  return { ...bucket, level, at: Math.max(bucket.at, now) };
}

/** Lowers what is available, if there is more. */
export function lowerTo(bucket: Bucket, level: number, now: number): Bucket {
  return { ...bucket, level: Math.min(level, levelAt(bucket, now)), at: Math.max(bucket.at, now) };
}

/** Returns the milliseconds until an amount can be taken. More than the bucket holds can be taken when it is full. */
export function waitFor(bucket: Bucket, amount: number, now: number): number {
  const missing = Math.min(amount, bucket.capacity) - levelAt(bucket, now);
  // Rounding must not leave a wait of nothing, for something that is not there yet.
  return missing <= 1e-9 ? 0 : Math.max(1, Math.ceil(missing / bucket.perMs));
}

/** Like `waitFor`, for an amount that several take one after the other, so that it may exceed what the bucket holds. */
export function waitForAll(bucket: Bucket, amount: number, now: number): number {
  return Math.max(0, (amount - levelAt(bucket, now)) / bucket.perMs);
}

function levelAt({ level, perMs, capacity, at }: Bucket, now: number): number {
  return Math.min(capacity, level + Math.max(0, now - at) * perMs);
}
