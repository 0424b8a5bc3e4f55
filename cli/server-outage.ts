import { setTimeout as sleep } from 'node:timers/promises';
import { formatDuration } from '../client/format';
import { errorReason } from '../temporal-config/dev-server/processes';
import { isServerUnavailable } from '../temporal-config/node/connection-failure';
import { CliError, exitCodes } from './context';

const pauseMs = 1_000;
const defaultLimitMs = 5 * 60_000;

/** Survives a server that does not answer for a while, for example because it is restarted. */
export class ServerOutage {
  private since: number | undefined;

  constructor(
    /** Told once when the server no longer answers, and once when it answers again. */
    private readonly notify: (text: string) => void,
    /** Ends the waiting; the last failure is thrown. */
    private readonly signal: AbortSignal,
    private readonly limitMs: number = defaultLimitMs,
  ) {}

  /** Whether the last request failed because the server did not answer. */
  get isOn(): boolean {
    return this.since !== undefined;
  }

  /** Repeats the work while the server does not answer. Throws any other failure, and a `CliError` at the limit. */
  async retrying<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        const result = await work();
        this.end();
        return result;
      } catch (error) {
        await this.wait(error);
      }
    }
  }

  /**
   * Like `retrying`, for work that waits for something to happen. It may take hours until that returns, so `probe`, a
   * short request, finds out before it whether the server answers.
   */
  retryingWait<T>(probe: () => Promise<unknown>, work: () => Promise<T>): Promise<T> {
    return this.retrying(async () => {
      await this.retrying(probe);
      return work();
    });
  }

  private end(): void {
    if (this.isOn) this.notify('The Temporal server answers again.');
    this.since = undefined;
  }

  private async wait(error: unknown): Promise<void> {
    if (!isServerUnavailable(error) || this.signal.aborted) throw error;
    const limit = formatDuration(this.limitMs);
    if (!this.isOn)
      this.notify(`The Temporal server does not answer (${errorReason(error)}). Trying again for ${limit}.`);
    this.since ??= Date.now();
    if (Date.now() - this.since > this.limitMs) {
      throw new CliError(
        exitCodes.unavailable,
        `The Temporal server has not answered for ${limit}: ${errorReason(error)}.`,
        'The run is not affected. Check the connection with `baton doctor`, then follow the run again.',
      );
    }
    await sleep(pauseMs, undefined, { signal: this.signal }).catch(() => undefined);
  }
}
