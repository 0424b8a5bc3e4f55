import type { Client } from '@temporalio/client';
import { median } from './statistics';

const around = 5;
const aroundTime = 25;

interface Sample {
  readonly execution: string;
  readonly bytes: number;
}

/**
 * Measures from inside a tool how a workflow's history grows around some of its turns, in bytes as counted by the
 * server.
 */
export class GrowthMeter {
  private readonly samples = new Map<number, Sample>();
  private readonly times = new Map<number, number>();
  /** Duration of the model call in milliseconds, by turn. */
  private readonly modelTimes = new Map<number, number>();

  constructor(
    private readonly client: Client,
    private readonly workflowId: string,
    private readonly turns: readonly number[],
  ) {}

  /** Call this once per turn, always at the same point. */
  async at(turn: number): Promise<void> {
    this.times.set(turn, performance.now());
    if (!this.turns.some((wanted) => Math.abs(wanted - turn) <= around)) return;
    const { runId, historySize } = await this.client.workflow.getHandle(this.workflowId).describe();
    this.samples.set(turn, { execution: runId, bytes: historySize ?? 0 });
  }

  modelAnswered(turn: number, milliseconds: number): void {
    this.modelTimes.set(turn, milliseconds);
  }

  /**
   * Returns the mean growth of the surrounding turns. Pairs of turns in different executions are skipped, because their
   * growth can't be measured.
   */
  bytesPerTurn(turn: number): number {
    const grown = range(turn, around).flatMap((at) => {
      const [before, after] = [this.samples.get(at - 1), this.samples.get(at)];
      return before && after && before.execution === after.execution ? [after.bytes - before.bytes] : [];
    });
    return Math.round(grown.reduce((sum, bytes) => sum + bytes, 0) / grown.length);
  }

  millisecondsPerTurn(turn: number): number {
    const taken = range(turn, aroundTime).flatMap((at) => {
      const [before, after] = [this.times.get(at - 1), this.times.get(at)];
      return before === undefined || after === undefined ? [] : [after - before];
    });
    return median(taken);
  }

  /** Returns the model's share of the time. Its requests grow with the conversation, whatever the engine does. */
  modelMillisecondsPerTurn(turn: number): number {
    return median(range(turn, aroundTime).flatMap((at) => this.modelTimes.get(at) ?? []));
  }
}

function range(around: number, by: number): number[] {
  return Array.from({ length: 2 * by + 1 }, (_, index) => around - by + index);
}
