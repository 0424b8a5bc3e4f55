import { queryRunStatus } from '../../client/agent/outcome';
import { startRun } from '../../client/agent/start';
import { explorer, fail } from '../../testing/scripted-model';
import type { CliContext } from '../context';
import { asked, eachOnce, type ScriptedStage, showEnd } from './scripted-story';
import { claim, type Claim, runFor } from './stage';

const other = 'openai:scripted';
const lastTurnOfFirst = 2;

/** Story: the account of one provider reaches its spend limit, and a model of another provider continues. */
export async function fallbackStory(context: CliContext, stage: ScriptedStage): Promise<Claim[]> {
  const before = stage.model.calls.length;
  const run = runFor(stage, 'Look through the project, and say what it is about.');
  const { name: first } = run.model;
  const input = {
    ...run,
    model: { ...run.model, fallback: [other] },
    models: { [other]: { window: 200_000, price: { input: 1, output: 4 } } },
  };
  const explore = explorer({ files: 2 });
  stage.play((call) => {
    const isSpent = call.request.model === first && call.turn >= lastTurnOfFirst;
    return isSpent ? fail(402, { type: 'billing_error', message: 'Your credit balance is too low.' }) : explore(call);
  });
  context.terminal.print('\nA model of another provider takes over');

  await startRun(stage.client, stage.taskQueue, input);
  context.terminal.print(`  run ${input.runId} started: ${first}, and then ${other}, which speaks Chat Completions`);
  const { outcome } = await showEnd(context, stage, input.runId);
  const [fallback] = (await queryRunStatus(stage.client, input.runId))?.fallbacks ?? [];
  context.terminal.print(`  turn ${fallback?.turn ?? '?'}: ${fallback?.type ?? 'no fallback'}`);

  const calls = asked(stage, before);
  const answered = calls.filter((call) => call.outcome === 'answered');
  return [
    claim(
      'the spend limit of one provider did not end the run: another one answered it',
      outcome.kind === 'completed' && answered.at(-1)?.chat !== undefined,
    ),
    claim(
      'it continued the conversation: no turn was repeated or paid for twice',
      eachOnce(calls) && answered.filter(({ chat }) => chat === undefined).length === lastTurnOfFirst,
    ),
    claim(
      'the status of the run names both models, the turn and the reason',
      fallback?.from === first && fallback.to === other && fallback.type === 'Model.SpendLimit',
    ),
  ];
}
