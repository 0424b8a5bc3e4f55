import type { Client } from '@temporalio/client';
import { runWorkflowId } from '../../domain/kernel';
import { describeRun, queryAgentStatus } from '../agent/outcome';

/** After this long without an event, the root is asked whether anybody answers for it. */
const quietMs = 5_000;
/** A worker that has lost its cache reads the history first. A server that has seen no worker lately answers at once. */
const answerMs = 8_000;

/**
 * Finds out whether a worker answers for a run. Events can't tell: an agent that thinks for an hour and one that nobody
 * runs look the same. The server's list of workers can't either: it still has one for minutes after it has stopped.
 */
export class WorkerWatch {
  /** What is missing without a worker, and what to do; undefined while one answers, as far as is known. */
  gap: string | undefined;
  private heardAt = 0;
  private isAsking = false;

  constructor(
    private readonly client: Client,
    private readonly runId: string,
  ) {}

  /** Notes that something happened, so that nobody needs to be asked for a while. */
  hear(): void {
    this.heardAt = Date.now();
  }

  /** Asks if that is due. Returns whether the gap has changed. */
  async look(): Promise<boolean> {
    const isDue = this.gap !== undefined || Date.now() - this.heardAt > quietMs;
    if (this.isAsking || !isDue) return false;
    this.isAsking = true;
    const before = this.gap;
    // If the server is away, nothing is known about workers.
    await this.ask().catch(() => undefined);
    this.isAsking = false;
    return this.gap !== before;
  }

  private async ask(): Promise<void> {
    const asked = Date.now();
    const answer = await queryAgentStatus(this.client, runWorkflowId(this.runId), answerMs);
    if (answer !== undefined) {
      this.hear();
      this.gap = undefined;
      return;
    }
    const { status, taskQueue } = await describeRun(this.client, this.runId);
    if (status.name !== 'RUNNING' || this.heardAt >= asked) return;
    this.gap = `No worker answers on task queue “${taskQueue}”, so what the agents do now is unknown. Start one: baton worker`;
  }
}
