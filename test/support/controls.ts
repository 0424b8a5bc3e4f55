import { z } from 'zod';
import { definePrompt } from '../../domain/prompt';
import { parseSkill, type SkillDefinition } from '../../domain/skill';
import { scriptByTurn, say, type ScriptedCall, useTool } from '../../testing/scripted-model';
import { depthOf, dispatch } from './delegation-script';

export const why = { reason: 'The audit changes nothing.', alternative: 'Describe the change.' };

const auditor = definePrompt({
  ns: 'acme',
  key: 'auditor',
  description: 'Audits something.',
  parameters: z.object({}),
  sections: [{ key: 'stance', title: 'Stance', template: 'You audit.' }],
  delegation: {
    redactions: [
      { path: 'task', reason: 'an auditor must not know the goal' },
      { path: 'agent/answer', reason: 'it never existed' },
    ],
    scope: { include: ['The ledger.'], exclude: ['The payroll.'] },
    principles: ['Evidence comes first.', 'Brevity comes second.'],
    policies: {
      inherited: ['working-rules'],
      relaxed: [{ path: 'answer', how: 'the answer may be a list', reason: 'auditors like lists' }],
      added: ['Sign every finding.'],
    },
    tools: {
      write_file: { access: 'revoked', ...why },
      add_note: { access: 'restricted', ...why, maxCalls: 2 },
      write_artifact: { access: 'restricted', ...why, arguments: { name: { glob: ['REPORT*'] } } },
      read_file: { access: 'inherited' },
    },
    escalation: { stopWhen: ['The ledger is closed.'], blockers: ['A missing page.'], partialProgress: 'Send it.' },
    reporting: {
      cadence: 'A note every ten turns.',
      attachments: [{ name: 'EVIDENCE.md', upload: 'write_artifact' }],
      citations: 'Cite page numbers.',
    },
  },
});
const strict = definePrompt({
  ns: 'acme',
  key: 'strict',
  description: 'Works only below a prompt with a vault.',
  parameters: z.object({}),
  sections: [{ key: 'stance', title: 'Stance', template: 'You guard.' }],
  delegation: { redactions: [{ path: 'vault', reason: 'secret', required: true }] },
});
const blind = definePrompt({
  ns: 'acme',
  key: 'blind',
  description: 'Sees only its task.',
  parameters: z.object({}),
  sections: [{ key: 'stance', title: 'Stance', template: 'You work blind.' }],
  delegation: { parentPrompt: 'withheld' },
});

function skill(name: string, delegation: object, tools: string[]): SkillDefinition {
  const parsed = parseSkill({
    name,
    description: 'D.',
    systemPrompt: `You are ${name}.`,
    tools,
    output: 'text',
    delegation,
  });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.skill;
}
export const skills = [
  skill('open', { parentPrompt: 'embedded', principles: ['Of the skill.'] }, ['read_file']),
  skill('closed', { tools: { write_file: { access: 'revoked', ...why } } }, ['read_file', 'write_artifact']),
];

export const note = useTool('add_note', { text: 'n' });
export const dispatchTo = (key: string, instructions = 'Audit. Look closely.'): ReturnType<typeof useTool> =>
  useTool('dispatch_subagent', dispatch({ prompt_ns: 'acme', prompt_key: key, instructions }));
export const dispatchSkill = (name: string): ReturnType<typeof useTool> =>
  useTool('dispatch_skill', { skill: name, input: { goal: 'Look.' } });
export const done = scriptByTurn(say('done'));

export const prompts = [auditor, strict, blind].map(({ definition }) => definition);

/** The calls of the agents at a depth. */
export function callsAt(asked: readonly ScriptedCall[], depth: number): ScriptedCall[] {
  return asked.filter((call) => depthOf(call) === depth);
}

/** All tool results that the last call at a depth had seen. */
export function resultsAt(asked: readonly ScriptedCall[], depth: number): string[] {
  return (callsAt(asked, depth).at(-1)?.toolExchanges ?? []).map(({ result }) => result?.text ?? '');
}
