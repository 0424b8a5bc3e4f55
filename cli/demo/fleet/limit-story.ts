import { startRun } from '../../../client/agent/start';
import { dispatchSubagentsName } from '../../../domain/tool';
import { delegationDepth, limitRate, say as answer, type Script, useTool } from '../../../testing/scripted-model';
import type { CliContext } from '../../context';
import { asked, type ScriptedStage, showEnd } from '../scripted-story';
import { claim, type Claim, runFor } from '../stage';

const perSecond = 5;
const children = 12;

/** Story: more subagents than the provider lets ask at the same time. */
export async function limitStory(context: CliContext, stage: ScriptedStage): Promise<Claim[]> {
  const before = stage.model.calls.length;
  const taskQueue = `${stage.taskQueue}-limited`;
  // A little less than the provider allows: requests don't arrive as evenly as they are sent.
  const limits = { 'claude-*': { requestsPerMinute: perSecond * 60 * 0.9 } };
  const input = runFor(stage, `Ask ${children} subagents at the same time.`);
  stage.play(limitRate({ perSecond }, manyAtOnce));
  context.terminal.print('\nA provider that limits requests');

  const worker = await stage.startWorker({ BATON_TASK_QUEUE: taskQueue, BATON_MODEL_LIMITS: JSON.stringify(limits) });
  await startRun(stage.client, taskQueue, input);
  context.terminal.print(
    `  run ${input.runId} started: ${children} subagents, and a provider that answers ${perSecond} requests a second`,
  );
  const { outcome } = await showEnd(context, stage, input.runId);
  worker.kill('SIGTERM');
  await worker.ended;

  const calls = asked(stage, before);
  const refused = calls.filter(({ status }) => status === 429).length;
  const [first = 0, last = 0] = [calls[0]?.receivedAt, calls.at(-1)?.receivedAt];
  context.terminal.print(`  ${calls.length} requests in ${((last - first) / 1_000).toFixed(1)} s, ${refused} refused`);
  return [
    claim(
      `all ${children} subagents were answered by a provider that allows ${perSecond} requests a second`,
      outcome.kind === 'completed' && calls.filter(({ status }) => status === 200).length === children + 2,
    ),
    // A machine that is busy with something else may send two requests together that were meant to be apart.
    claim('the worker kept to the limit: the provider refused at most one of its requests', refused <= 1),
  ];
}

const manyAtOnce: Script = (call) => {
  if (delegationDepth(call) > 0) return answer('Here.');
  if (call.turn > 0) return answer('All of them answered.');
  const delegations = Array.from({ length: children }, (_, index) => ({
    reason: `Subagent ${index + 1} says whether it is there.`,
    expected_result: 'A word.',
    may_delegate_further: 'no',
    recap_lines: ['Everybody is asked.'],
  }));
  return useTool(dispatchSubagentsName, { delegations });
};
