import { longWork } from '../../testing/scripted-model';
import { totalTokens } from '../../domain/model/usage';
import type { CliContext } from '../context-merging';
import { formatCount } from '../../client/format';
import { queryRunStatus } from '../../client/agent/run-view';
import { startRun } from '../../client/agent/start';
import { claim, type Claim } from './claim';
import { runFor } from './run-for';
import { asked, showEnd, type ScriptedStage } from './scripted-story';

const tokens = 12_000;

/** Story: a run whose work exceeds its budget is stopped before the call that could exceed it. */
export async function budgetStory(context: CliContext, stage: ScriptedStage): Promise<Claim[]> {
  const say = (line: string): void => context.terminal.print(line);
  const before = stage.model.calls.length;
  const run = runFor(stage, 'Read every file of the project, on a budget.');
  const model = { ...run.model, maxTokens: 1_000 };
  stage.play(longWork());
  say('\nAn agent with a budget');

  await startRun(stage.client, stage.taskQueue, { ...run, model, budget: { tokens } });
  say(`  run ${run.runId} started, with a budget of ${formatCount(tokens)} tokens`);
  const { outcome } = await showEnd(context, stage, run.runId);
  const snapshot = await queryRunStatus(stage.client, run.runId);
  const spent = snapshot === undefined ? 0 : totalTokens(snapshot.spent.usage);
  const calls = asked(stage, before);
  return [
    claim('the run ended with Budget.Exceeded', outcome.kind === 'failed' && outcome.type === 'Budget.Exceeded'),
    claim(
      `it was stopped before the call that would have exceeded the budget: ${formatCount(spent)} of ${formatCount(tokens)} tokens spent`,
      spent > 0 && spent <= tokens && calls.length === snapshot?.turn,
    ),
  ];
}
