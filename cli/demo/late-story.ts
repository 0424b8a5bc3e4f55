import { readRecordedAgent } from '../../client/agent/history';
import { startRun } from '../../client/agent/start';
import { readSession } from '../../client/session/read-session';
import {
  type ConversationView,
  say,
  type Script,
  scriptByDepth,
  scriptByTurn,
  useTool,
  useTools,
  viewConversation,
} from '../../testing/scripted-model';
import type { CliContext } from '../context';
import { asked, type ScriptedStage, showEnd } from './scripted-story';
import { claim, type Claim, runFor } from './stage';

const found = 'The gauge counts in knots.';

/** A parent whose two subagents run one after the other: the second one builds on what the first one left. */
function relayed(): Script {
  const part = (reason: string): object => ({
    reason,
    expected_result: 'One sentence.',
    may_delegate_further: 'no',
    recap_lines: [reason],
  });
  const batch = { delegations: [part('Find out the unit.'), part('Use what was found.')] };
  const first = scriptByTurn(
    useTools([
      { name: 'write_artifact', input: { name: 'unit.md', content: found } },
      { name: 'write_file', input: { path: 'UNIT.md', content: found } },
    ]),
    say('Written.'),
  );
  const second = scriptByTurn(
    useTools([
      { name: 'read_artifact', input: { name: 'unit.md' } },
      { name: 'read_file', input: { path: 'UNIT.md' } },
    ]),
    (call) => say(`In my first turn I read: ${call.toolResults.map(({ text }) => text).join(' / ')}`),
  );
  return scriptByDepth(
    scriptByTurn(useTool('dispatch_subagents', batch), (call) => say(call.toolResults[0]?.text ?? '')),
    (call) => (call.systemText.includes('**Reason** – Find out') ? first(call) : second(call)),
  );
}

/** Story: a subagent that starts after its siblings sees what they have written. */
export async function lateStory(context: CliContext, stage: ScriptedStage): Promise<Claim[]> {
  const print = (line: string): void => {
    context.terminal.print(line);
  };
  const before = stage.model.calls.length;
  const input = runFor(stage, 'Find out which unit the gauge uses, then use it.');
  stage.play(relayed());
  print('\nA subagent that starts late');

  const { limits } = input;
  const { workflowId } = await startRun(stage.client, stage.taskQueue, {
    ...input,
    limits: { ...limits, maxParallel: 1 },
  });
  print(`  run ${input.runId} started: two subagents on one session, one at a time`);
  const { outcome } = await showEnd(context, stage, input.runId);
  const { children } = await readRecordedAgent(stage.client, workflowId);
  const { slices } = await readSession(stage.client, workflowId);
  const isLate = ({ turn, systemText }: ConversationView): boolean =>
    turn === 1 && systemText.includes('**Reason** – Use what');
  const read = asked(stage, before)
    .map(({ request }) => viewConversation(request))
    .find(isLate)?.toolResults;
  const kept = [slices['artifacts'], slices['files']].map((records) => records?.length);
  return [
    claim('both subagents ran, one after the other', outcome.kind === 'completed' && children.length === 2),
    claim(
      'the second one read in its first turn what the first one had written, an artifact and a file',
      read?.length === 2 && read.every(({ isError, text }) => !isError && text.includes(found)),
    ),
    claim(
      'the parent has both afterwards',
      kept.every((records) => records === 1),
    ),
  ];
}
