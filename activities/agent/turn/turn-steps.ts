import type { TurnProgress } from '../../../domain/agent';

/** Knows which turn an activity is at, and which tools run inside it, for those who ask what an agent is doing. */
export class TurnSteps {
  private readonly running: string[] = [];

  /** Begins with the model call of this zero-based index. */
  constructor(private call: number) {}

  begin(call: number): void {
    this.call = call;
  }

  async whileRunning<Result>(tool: string | undefined, work: () => Promise<Result>): Promise<Result> {
    if (tool === undefined) return work();
    this.running.push(tool);
    try {
      return await work();
    } finally {
      this.running.splice(this.running.indexOf(tool), 1);
    }
  }

  get progress(): TurnProgress {
    return { turn: this.call + 1, tools: [...this.running] };
  }
}
