import type { Client } from '@temporalio/client';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Store } from '../../domain/store';

/** What readiness depends on. */
export interface HealthSources {
  readonly client: Client;
  readonly store: Store;
  /** State of the worker, as Temporal names it. */
  readonly state: () => string;
}

/** Whether a worker can work. `null` means that nothing is wrong. */
export interface FoundReadiness {
  readonly ready: boolean;
  readonly worker: string;
  readonly server: string | null;
  readonly store: string | null;
}

/** A check that takes longer has failed. */
const limitMs = 2_000;
/** Probes come from several sides, and each would write a file to the store. */
const reuseMs = 2_000;

/** Finds out whether a worker can work, at most once in two seconds. */
export class Readiness {
  private latest:
    { readonly at: number; readonly found: Promise<Pick<FoundReadiness, 'server' | 'store'>> } | undefined;

  constructor(private readonly sources: HealthSources) {}

  async look(): Promise<FoundReadiness> {
    const now = Date.now();
    if (this.latest === undefined || now - this.latest.at > reuseMs) this.latest = { at: now, found: this.check() };
    const { server, store } = await this.latest.found;
    // Not from the latest look: it is the first to change when the worker is told to stop.
    const worker = this.sources.state();
    return { ready: worker === 'RUNNING' && server === null && store === null, worker, server, store };
  }

  private async check(): Promise<Pick<FoundReadiness, 'server' | 'store'>> {
    const { client, store } = this.sources;
    const [serverProblem, storeProblem] = await Promise.all([
      problemOf(client.workflowService.getSystemInfo({})),
      problemOf(store.checkWritable()),
    ]);
    return { server: serverProblem, store: storeProblem };
  }
}

/** Returns why the work failed, or that it took too long. */
async function problemOf(work: Promise<unknown>): Promise<string | null> {
  const late = new AbortController();
  const limit = sleep(limitMs, `no answer within ${limitMs / 1_000} s`, { signal: late.signal }).catch(() => null);
  const ended = work.then(
    () => null,
    (error: unknown) => (error instanceof Error ? error.message : String(error)).slice(0, 200),
  );
  const problem = await Promise.race([ended, limit]);
  late.abort();
  return problem;
}
