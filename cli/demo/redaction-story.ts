import { startRun } from '../../client/agent/start';
import { auditRun } from '../../client/prompt/audit-run';
import type { DelegationControls } from '../../domain/agent';
import { builtInToolNames, dispatchSubagentName } from '../../domain/tool';
import { say as answer, type Script, scriptByDepth, scriptByTurn, useTool } from '../../testing/scripted-model';
import type { CliContext } from '../context';
import { asked, type ScriptedStage, showEnd, wordsOf } from './scripted-story';
import { claim, type Claim, runFor } from './stage';

const secret = 'the buyer is the harbour of Elbmouth';
const goal = `Have the tide gauge checked. Keep this to yourself: ${secret}.`;

const controls: DelegationControls = {
  redactions: [{ path: 'task', reason: "subagents don't need to know who the buyer is" }],
  principles: ['Read before you judge.'],
  tools: {
    [builtInToolNames.addNote]: {
      access: 'restricted',
      reason: 'One note per check is enough.',
      alternative: 'Put everything else into your final message.',
      maxCalls: 1,
    },
  },
};

const note = useTool(builtInToolNames.addNote, { text: 'The gauge reads in centimetres.' });
const script: Script = scriptByDepth(
  scriptByTurn(
    useTool(dispatchSubagentName, {
      mode: 'ad_hoc',
      prompt_ns: 'baton',
      prompt_key: 'subagent',
      instructions: 'Check in which unit src/gauge.js reads the water level.',
    }),
    answer('The gauge reads in centimetres.'),
  ),
  scriptByTurn(note, note, answer('In centimetres.')),
);

/** Story: a delegation does not see a section of its parent's prompt, and may call a tool only once. */
export async function redactionStory(context: CliContext, stage: ScriptedStage): Promise<Claim[]> {
  const before = stage.model.calls.length;
  const input = { ...runFor(stage, goal), delegation: controls };
  stage.play(script);
  context.terminal.print('\nA delegation that does not see everything');

  await startRun(stage.client, stage.taskQueue, input);
  context.terminal.print(
    `  run ${input.runId} started: its goal has a secret, so the section \`task\` is withheld below it`,
  );
  const { outcome } = await showEnd(context, stage, input.runId);
  const [root = '', child = '', , last = ''] = asked(stage, before).map(wordsOf);
  const summary = /### Redaction Summary\\n\\n- (.*?)\\n/.exec(child)?.[1];
  context.terminal.print(`  redaction summary: ${summary ?? 'none'}`);
  const audited = await auditRun(stage.client, (await context.openStore()).forRun(input.runId));
  return [
    claim(
      "the run's secret is in the prompt of its root, and not in that of the subagent",
      root.includes(secret) && !child.includes(secret),
    ),
    claim(
      "the subagent's redaction summary names the section that is missing, its size and the reason",
      summary !== undefined && /^`task` \(\d+ bytes\) – subagents don't need to know/.test(summary),
    ),
    claim(
      'the rest of the prompt is complete: rebuilt from the record, it is identical',
      outcome.kind === 'completed' && [audited, ...audited.children].every(({ difference }) => difference === null),
    ),
    claim(
      'a second call of a tool that may be called once was refused, with the reason and the alternative',
      last.includes('Tool.Restricted: add_note was not called') &&
        last.includes('Put everything else into your final message.'),
    ),
  ];
}
