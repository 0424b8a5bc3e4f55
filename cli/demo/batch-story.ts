import { readRecordedAgent } from '../../client/agent/history';
import { outcomeOf } from '../../client/agent/outcome';
import { startRun } from '../../client/agent/start';
import { wrongFormNotice } from '../../domain/agent';
import { builtInToolNames, dispatchSubagentName } from '../../domain/tool';
import { type CallRecord, reviewers, skilled, skillOpenings } from '../../testing/scripted-model';
import { loadFinalText } from '../agent/final-text';
import { type CliContext, workflowPage } from '../context';
import { asked, type ScriptedStage, showEnd, wordsOf } from './scripted-story';
import { claim, type Claim, runFor, type Stage } from './stage';

const goal =
  'Have README.md, src/gauge.ts and the weather reviewed at the same time with dispatch_subagents; every reviewer adds a ' +
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
  say(`  Web UI: ${workflowPage(stage.server.uiUrl, 'default', workflowId)}`);
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
      /"Reviewed README\.md\.","success":true.*\n.*"Reviewed src\/gauge\.ts\.","success":true.*\n.*"success":false/.test(
        results,
      ),
    ),
    claim(
      'two of them wrote to one file at the same time, and neither line was lost or duplicated',
      lines.length === 2 && new Set(lines).size === 2,
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
