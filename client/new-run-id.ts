import { randomBytes } from 'node:crypto';

/** Creates a run id that sorts by time and is easy to type: `20261116-031522-k3f9q1`. */
export function newRunId(now = new Date()): string {
  const time = now.toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15);
  return `${time}-${randomBytes(8).readBigUInt64BE().toString(36).slice(-6).padStart(6, '0')}`;
}
