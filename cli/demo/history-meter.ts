import type { Client } from '@temporalio/client';
import { CliError, exitCodes } from '../context';
import { describeRun, queryRunStatus } from '../../client/agent/run-view';

/** Measures how a run's history grows, in bytes as the server reports them. */
export class HistoryMeter {
  private from: { readonly turn: number; readonly bytes: number } | undefined;

  constructor(
    private readonly client: Client,
    private readonly runId: string,
  ) {}

  /**
   * Waits until this many turns are complete. Measuring starts after the first turn, because history before it is
   * startup.
   */
  async until(turns: number): Promise<void> {
    const deadline = Date.now() + 60_000;
    while (Date.now() < deadline) {
      const snapshot = await queryRunStatus(this.client, this.runId);
      const turn = snapshot?.turn ?? 0;
      if (turn >= 1) this.from ??= { turn, bytes: await this.size() };
      if (turn >= turns) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new CliError(exitCodes.failed, `Run ${this.runId} did not reach turn ${turns} within a minute.`);
  }

  /** Returns the average growth per turn since measuring started, in bytes. */
  async bytesPerTurn(): Promise<number> {
    const last = (await queryRunStatus(this.client, this.runId))?.turn;
    if (this.from === undefined || last === undefined || last <= this.from.turn) return 0;
    return Math.round(((await this.size()) - this.from.bytes) / (last - this.from.turn));
  }

  private async size(): Promise<number> {
    return (await describeRun(this.client, this.runId)).historySize ?? 0;
  }
}
