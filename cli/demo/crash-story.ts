import type { Client } from '@temporalio/client';
import { setTimeout as sleep } from 'node:timers/promises';
import { describeRun, outcomeOf, queryRunStatus, type RunOutcome } from '../../client/agent/outcome';
import { startRun } from '../../client/agent/start';
import { formatBytes } from '../../client/format';
import { executeToolActivity, runTurnActivity } from '../../domain/agent';
import { explorer, type Script } from '../../testing/scripted-model';
import { loadFinalText } from '../agent/final-text';
import { type CliContext, CliError, exitCodes } from '../context';
import { claim, type Claim, runFor, type Stage } from './stage';

const killAtTurn = 3;

/** Story: one agent and two workers. The first is killed in the middle of a model call, and the second continues. */
export async function crashStory(context: CliContext, stage: Stage): Promise<Claim[]> {
  const say = (line: string): void => context.terminal.print(line);
  const input = runFor(stage, 'Look through the project and describe it.');
  stage.play(slowAt(killAtTurn, explorer()));
  say('\nAn agent whose worker is killed');

  const first = await stage.startWorker();
  const { workflowId } = await startRun(stage.client, stage.taskQueue, input);
  const { runId: executionBefore } = await describeRun(stage.client, input.runId);
  const meter = new HistoryMeter(stage.client, input.runId);
  say(`  run ${input.runId} started on worker ${first.pid}: ${input.goal}`);

  await meter.until(killAtTurn);
  // Wait until the call has reached the model. If the worker were killed earlier, no call would be interrupted.
  await stage.model?.waitForCall(killAtTurn);
  first.kill('SIGKILL');
  say(
    `  worker ${first.pid} killed (SIGKILL) in turn ${killAtTurn + 1}, in the middle of a reply; exit: ${await first.ended}`,
  );
  const second = await stage.startWorker();
  say(`  worker ${second.pid} started`);

  const outcome = await outcomeOf(stage.client, input.runId);
  const perTurn = await meter.bytesPerTurn();
  const { runId: executionAfter } = await describeRun(stage.client, input.runId);
  if (outcome.kind === 'completed') {
    say('  the answer:');
    say((await loadFinalText(context, input.runId, outcome.result)).replace(/^/gm, '    | '));
  }
  say(stage.whereIs(workflowId));
  return [
    claim('the run ended with an answer', outcome.kind === 'completed'),
    claim('it is the same run: one workflow, one execution', executionBefore === executionAfter),
    ...modelClaims(stage, outcome),
    claim(`history grew by ${formatBytes(perTurn)} per turn; the limit is 2 KiB`, perTurn > 0 && perTurn <= 2 * 1024),
    await oneActivityPerTurn(stage, workflowId, outcome),
  ];
}

/** Makes one call so slow that the kill always comes before its end, even on a busy machine. */
function slowAt(index: number, script: Script): Script {
  return async (call) => {
    const reply = await script(call);
    return call.index === index && reply.kind === 'answer' ? { ...reply, chunkSize: 4, chunkDelayMs: 500 } : reply;
  };
}

/** Counted in the history: tools that are safe to repeat run in the activity of their turn. */
async function oneActivityPerTurn({ client }: Stage, workflowId: string, outcome: RunOutcome): Promise<Claim> {
  const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
  const names = (events ?? []).flatMap((event) => event.activityTaskScheduledEventAttributes?.activityType?.name ?? []);
  const turns = outcome.kind === 'completed' ? outcome.result.turns : 0;
  const taken = names.filter((name) => name === runTurnActivity.name).length;
  const tools = names.filter((name) => name === executeToolActivity.name).length;
  return claim(
    `${turns} turns took ${taken} activities, and their tools ${tools} more: a turn and its tools are one step`,
    taken === turns && tools === 0,
  );
}

/** Counted on the model's side: a turn that was answered before the kill was not requested again. */
function modelClaims({ model }: Stage, outcome: RunOutcome): Claim[] {
  if (model === undefined || outcome.kind !== 'completed') return [];
  const { turns } = outcome.result;
  const answered = new Set(model.calls.filter((call) => call.outcome === 'answered').map(({ digest }) => digest)).size;
  const cut = model.calls.length - model.answered;
  return [
    claim(
      `the model answered ${model.answered} calls for ${turns} turns, each exactly once`,
      model.answered === turns && answered === turns,
    ),
    claim(`${cut} call was interrupted by the kill and repeated`, cut === 1),
  ];
}

/** Measures how a run's history grows, in bytes as the server reports them. */
class HistoryMeter {
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
      await sleep(50);
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
