import { setTimeout as sleep } from 'node:timers/promises';
import { createBaton, newRunId } from '../../client/baton';
import { agentExecutions, parkedQuery } from '../../client/agent/find-agent';
import type { RunHandle } from '../../client/agent/run-handle';
import { BatonError } from '../../client/client-errors';
import { decideIncident } from '../../client/operator/decide';
import { deleteRuns } from './delete-runs';
import { type Scene, taskQueue } from './scene';
import { goalOf, stories, type Story } from './stories';

/** How many runs have got how far. */
interface Counts {
  readonly started: number;
  readonly ended: number;
  /** Decisions of the operator. */
  readonly answered: number;
  readonly deleted: number;
}

/** A run that has ended and whose data has not been deleted. */
interface EndedRun {
  readonly runId: string;
  readonly at: number;
}

const operatorPauseMs = 1_000;
const deletionPauseMs = 10_000;

/** The runs of a soak, from their start to their deletion. */
export class Traffic {
  /** What went otherwise than expected. */
  readonly violations: string[] = [];
  private readonly open = new Map<string, Promise<void>>();
  private readonly ended: EndedRun[] = [];
  /** Whether runs are being started. */
  isGenerating = false;
  private count = { started: 0, ended: 0, answered: 0, deleted: 0 };

  constructor(
    private readonly scene: Scene,
    /** Ends all loops. */
    private readonly stop: AbortSignal,
    /** How long the data of a run is kept after its end, in milliseconds. */
    private readonly keepMs: number,
  ) {}

  get counts(): Counts {
    return { ...this.count };
  }

  /** Starts runs at this rate until the time has passed. Waits for none of them. */
  async generate(perMinute: number, durationMs: number): Promise<void> {
    this.isGenerating = true;
    const begun = Date.now();
    const everyMs = 60_000 / perMinute;
    while (Date.now() - begun < durationMs && !this.stop.aborted) {
      const index = this.count.started;
      const story = stories[index % stories.length];
      if (story !== undefined) this.begin(story, index);
      // By the clock, so that the rate does not depend on how long starting takes.
      await this.pause(begun + everyMs * (index + 1) - Date.now());
    }
    this.isGenerating = false;
  }

  /** Plays an operator who retries whatever waits for one, until the soak is stopped. */
  async operate(): Promise<void> {
    const { client } = this.scene;
    while (await this.pause(operatorPauseMs)) {
      for (const { workflowId } of await agentExecutions(client, parkedQuery)) {
        try {
          await decideIncident(client, workflowId, { action: 'retry', by: 'soak' });
          this.count.answered += 1;
        } catch (error) {
          // The list of the server is a moment behind.
          if (!(error instanceof BatonError)) throw error;
        }
      }
    }
  }

  /** Deletes the data of runs some time after their end, until the soak is stopped. */
  async collect(): Promise<void> {
    while (await this.pause(deletionPauseMs)) await this.deleteEnded(this.keepMs);
  }

  /** Deletes the data of all runs that ended longer ago than this. */
  async deleteEnded(keepMs: number): Promise<void> {
    const due = this.ended.filter(({ at }) => at <= Date.now() - keepMs).map(({ runId }) => runId);
    const { deleted, kept } = await deleteRuns(this.scene, due);
    for (const runId of deleted)
      this.ended.splice(
        this.ended.findIndex((run) => run.runId === runId),
        1,
      );
    this.count.deleted += deleted.length;
    for (const { runId, reason } of kept) this.violations.push(`the data of ${runId} was not deleted: ${reason}`);
  }

  /** Waits until every run that was started has ended. Runs that have not are violations. */
  async drain(limitMs: number): Promise<void> {
    const all = Promise.all(this.open.values());
    const limit = new AbortController();
    await Promise.race([all, sleep(limitMs, undefined, { signal: limit.signal })]);
    limit.abort();
    for (const runId of this.open.keys()) this.violations.push(`${runId} did not end within ${limitMs / 1_000} s`);
  }

  private begin(story: Story, index: number): void {
    this.count.started += 1;
    const runId = `soak-${newRunId()}`;
    const played = this.play(story, index, runId)
      .catch((error: unknown) => {
        if (this.stop.aborted) return;
        const reason = error instanceof Error ? error.message : String(error);
        this.violations.push(`${runId} (${story.name}): ${reason}`);
      })
      .finally(() => {
        this.open.delete(runId);
        this.count.ended += 1;
        this.ended.push({ runId, at: Date.now() });
      });
    this.open.set(runId, played);
  }

  private async play(story: Story, index: number, runId: string): Promise<void> {
    const { client, folders } = this.scene;
    const run: RunHandle = await createBaton(client, { taskQueue }).startRun({
      ...story.settings,
      runId,
      goal: goalOf(story, index),
      workspace: { root: folders.workspace },
    });
    await story.disturb?.(run, index);
    const outcome = await run.result();
    if (outcome.kind === story.ends) return;
    const why = outcome.kind === 'failed' ? `: ${outcome.type}, ${outcome.message}` : '';
    throw new Error(`it ended as ${outcome.kind} and not as ${story.ends}${why}`);
  }

  private pause(ms: number): Promise<boolean> {
    return continuesAfter(ms, this.stop);
  }
}

/** Waits. Returns whether the soak continues. */
export async function continuesAfter(ms: number, stop: AbortSignal): Promise<boolean> {
  await sleep(Math.max(0, ms), undefined, { signal: stop }).catch(() => undefined);
  return !stop.aborted;
}
