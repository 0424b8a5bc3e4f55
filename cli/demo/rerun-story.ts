import { rerun } from '../../client/agent/rerun';
import { startRun } from '../../client/agent/start';
import { newRunId } from '../../client/baton';
import { explorer } from '../../testing/scripted-model';
import type { CliContext } from '../context';
import { asked, type ScriptedStage, showEnd } from './scripted-story';
import { claim, type Claim, runFor } from './stage';

const maxTurns = 3;

/** Story: a run uses up its turns, and a new run continues with what it has paid for. */
export async function rerunStory(context: CliContext, stage: ScriptedStage): Promise<Claim[]> {
  const run = runFor(stage, 'Read the project, and say what it is about.');
  stage.play(explorer({ files: 3 }));
  context.terminal.print('\nA run without turns left is continued');
  await startRun(stage.client, stage.taskQueue, { ...run, limits: { ...run.limits, maxTurns } });
  const first = await showEnd(context, stage, run.runId);

  const before = stage.model.calls.length;
  const options = { newId: newRunId(), fromTurn: 'last', maxTurns: 20 } as const;
  const { runId } = await rerun(stage.client, stage.taskQueue, run.runId, options);
  context.terminal.print(`  baton rerun ${run.runId} --from-turn last --max-turns ${options.maxTurns}`);
  const { outcome } = await showEnd(context, stage, runId);
  const calls = asked(stage, before);
  return [
    claim(
      'a run that had used up its turns was continued by another one, and answered',
      first.outcome.kind === 'failed' && outcome.kind === 'completed',
    ),
    claim(
      `the provider was not asked for the ${maxTurns} turns before again`,
      calls.length > 0 && calls.every(({ request }) => repliesIn(request.messages) >= maxTurns),
    ),
  ];
}

function repliesIn(messages: readonly { readonly role: string }[]): number {
  return messages.filter(({ role }) => role === 'assistant').length;
}
