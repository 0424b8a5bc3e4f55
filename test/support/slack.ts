import { cpus, loadavg } from 'node:os';

/** How many times longer things take, because the machine has more to do than it has processors. */
export function slack(): number {
  return Math.max(1, (loadavg()[0] ?? 0) / cpus().length);
}
