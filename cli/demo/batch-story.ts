import { readRecordedAgent } from '../../client/agent/history';
import { outcomeOf } from '../../client/agent/outcome';
import { startRun } from '../../client/agent/start';
import { readSession } from '../../client/session/read-session';
import { wrongFormNotice } from '../../domain/agent';
import { builtInToolNames, dispatchSubagentName } from '../../domain/tool';
import {
  type CallRecord,
  type ConversationView,
  reviewers,
  say as answer,
  type Script,
  scriptByDepth,
  scriptByTurn,
  skilled,
  skillOpenings,
  useTool,
  useTools,
  viewConversation,
} from '../../testing/scripted-model';
import { loadFinalText } from '../agent/final-text';
import type { CliContext } from '../context';
import { asked, type ScriptedStage, showEnd, wordsOf } from './scripted-story';
import { claim, type Claim, runFor, type Stage } from './stage';

const goal =
  'Have README.md, src/gauge.js and the weather reviewed at the same time with dispatch_subagents; every reviewer adds a ' +
  'line to REVIEW.md. Then read REVIEW.md and answer with it.';

/** Story: subagents work on their parent's files at the same time, and one of them fails. */
export async function batchStory(context: CliContext, stage: Stage): Promise<Claim[]> {
  const say = (line: string): void => context.terminal.print(line);
  const input = runFor(stage, goal);
  stage.play(reviewers());
  say('\nSubagents that share a session');

  const { workflowId } = await startRun(stage.client, stage.taskQueue, input);
  say(`  run ${input.runId} started: three concurrent reviewers, one of them with nothing to review`);
  const outcome = await outcomeOf(stage.client, input.runId);
  const answer = outcome.kind === 'completed' ? await loadFinalText(context, input.runId, outcome.result) : '';
  if (answer !== '') say(`  the answer:\n${answer.replace(/^/gm, '    | ')}`);
  say(stage.whereIs(workflowId));
  const claims = [claim('the run with the batch ended with an answer', outcome.kind === 'completed')];
  // The claims below match the script's exact wording, which a real model does not produce.
  return stage.model === undefined ? claims : [...claims, ...(await batchClaims(stage, workflowId, answer))];
}

async function batchClaims({ client }: Stage, workflowId: string, answer: string): Promise<Claim[]> {
  const { children } = await readRecordedAgent(client, workflowId);
  const [results = '', file = ''] = answer.split('REVIEW.md:\n');
  const lines = file.split('\n').filter((line) => line.startsWith('- '));
  return [
    claim('three subagents ran, each as its own child workflow', children.length === 3),
    claim(
      'one of them failed alone: the results of the others arrived, in the order of the request',
      /"Reviewed README\.md\.","success":true.*\n.*"Reviewed src\/gauge\.js\.","success":true.*\n.*"success":false/.test(
        results,
      ),
    ),
    claim(
      'two of them wrote to one file at the same time, and neither line was lost or duplicated',
      lines.length === 2 && new Set(lines).size === 2,
    ),
  ];
}

const found = 'The gauge counts in knots.';

/** A parent whose two subagents run one after the other: the second one builds on what the first one left. */
function oneAfterTheOther(): Script {
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
    answer('Written.'),
  );
  const second = scriptByTurn(
    useTools([
      { name: 'read_artifact', input: { name: 'unit.md' } },
      { name: 'read_file', input: { path: 'UNIT.md' } },
    ]),
    (call) => answer(`In my first turn I read: ${call.toolResults.map(({ text }) => text).join(' / ')}`),
  );
  return scriptByDepth(
    scriptByTurn(useTool('dispatch_subagents', batch), (call) => answer(call.toolResults[0]?.text ?? '')),
    (call) => (call.systemText.includes('**Reason** – Find out') ? first(call) : second(call)),
  );
}

/** Story: a subagent that starts after its siblings sees what they have written. */
export async function lateStory(context: CliContext, stage: ScriptedStage): Promise<Claim[]> {
  const say = (line: string): void => context.terminal.print(line);
  const before = stage.model.calls.length;
  const input = runFor(stage, 'Find out which unit the gauge uses, then use it.');
  stage.play(oneAfterTheOther());
  say('\nA subagent that starts late');

  const { limits } = input;
  const { workflowId } = await startRun(stage.client, stage.taskQueue, {
    ...input,
    limits: { ...limits, maxParallel: 1 },
  });
  say(`  run ${input.runId} started: two subagents on one session, one at a time`);
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

const secret = 'The harbour master prefers tea.';

/** Story: an agent dispatches a skill whose answer must have a strict format. */
export async function skillStory(context: CliContext, stage: ScriptedStage): Promise<Claim[]> {
  const say = (line: string): void => context.terminal.print(line);
  const before = stage.model.calls.length;
  const input = runFor(stage, `Have the skill \`researcher\` find out what this project is about. ${secret}`);
  stage.play(skilled());
  say('\nA skill with a strict output format');

  const { workflowId } = await startRun(stage.client, stage.taskQueue, input);
  say(`  run ${input.runId} started: it dispatches the skill \`researcher\`, whose first answer has the wrong format`);
  const { outcome, answer } = await showEnd(context, stage, input.runId);
  const { children } = await readRecordedAgent(stage.client, workflowId);
  const ofSkill = asked(stage, before).filter((call) => wordsOf(call).includes(skillOpenings.researcher));
  return [
    claim('the run with the skill ended with an answer', outcome.kind === 'completed' && children.length === 1),
    claim(
      'the skill saw nothing of its parent, and had only the tools that its file names',
      ofSkill.length > 0 && ofSkill.every((call) => !wordsOf(call).includes(secret) && isRestricted(call)),
    ),
    claim(
      'its answer in the wrong format was returned to it once, and only the corrected one reached the parent',
      ofSkill.filter((call) => wordsOf(call).includes(wrongFormNotice)).length === 1 &&
        answer.includes('<discovery>') &&
        !answer.includes('Here is what I found'),
    ),
  ];
}

function isRestricted({ request }: CallRecord): boolean {
  const names = (request.tools ?? []).map((tool) => (tool as { readonly name?: string }).name);
  const { readFile, writeFile } = builtInToolNames;
  return names.includes(readFile) && !names.includes(writeFile) && !names.includes(dispatchSubagentName);
}
