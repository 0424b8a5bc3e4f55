import { wrongFormNotice } from '../../domain/agent/repair';
import { skilled, skillOpenings, type CallRecord } from '../../testing/scripted-model';
import type { CliContext } from '../context-merging';
import { readRecordedAgent } from '../../client/agent/history';
import { startRun } from '../../client/agent/start';
import { claim, type Claim } from './claim';
import { runFor } from './run-for';
import { asked, showEnd, wordsOf, type ScriptedStage } from './scripted-story';

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
  return names.includes('read_file') && !names.includes('write_file') && !names.includes('dispatch_subagent');
}
