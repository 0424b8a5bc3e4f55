import { z } from 'zod';
import { defineTool, type Tool } from '../../activities/tool/define-tool';
import { definePrompt } from '../../domain/prompt';
import { parseSkill, type SkillDefinition } from '../../domain/skill';
import { useTool, type ScriptedCall } from '../../testing/scripted-model';
import { dispatch } from './delegation-script';
import { callsAt } from './controls';

/** Commands that `publish` was called with, in the order of the calls. */
export interface Published {
  readonly tool: Tool;
  readonly commands: string[];
}

/** A tool that must not run twice, and that tells what it was called with. */
export function publishTool(): Published {
  const commands: string[] = [];
  const tool = defineTool({
    name: 'publish',
    id: 'test/publish@1',
    description: 'Publishes something.',
    parameters: z.strictObject({ command: z.string().min(1), note: z.string().optional() }),
    success: 'It is published.',
    cost: 'Free.',
    safeToRepeat: false,
    run({ command }) {
      commands.push(command);
      return Promise.resolve({ message: `Ran ${command}.` });
    },
  });
  return { tool, commands };
}

export const publish = (command: string, more: object = {}): ReturnType<typeof useTool> =>
  useTool('publish', { command, ...more });

/** Rule of these tests: everything that begins with "push". */
export const onPush = { tool: 'publish', when: '^push', reason: 'It cannot be undone.' };

export const careful = definePrompt({
  ns: 'acme',
  key: 'careful',
  description: 'Publishes carefully.',
  parameters: z.object({}),
  sections: [{ key: 'stance', title: 'Stance', template: 'You publish.' }],
  approve: [{ tool: 'publish', when: { command: '^tag' } }],
});

export function skillNamed(name: string, more: object = {}): SkillDefinition {
  const parsed = parseSkill({
    name,
    description: 'D.',
    systemPrompt: `You are ${name}.`,
    tools: ['publish', 'ask_operator', 'add_note'],
    output: 'text',
    ...more,
  });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.skill;
}

export const dispatchCareful = useTool('dispatch_subagent', dispatch({ prompt_ns: 'acme', prompt_key: 'careful' }));
export const dispatchPlain = useTool('dispatch_subagent', dispatch());

/** Results of the last call at a depth, with whether each is an error. */
export function exchangesAt(asked: readonly ScriptedCall[], depth: number): { text: string; isError: boolean }[] {
  return (callsAt(asked, depth).at(-1)?.toolExchanges ?? []).map(({ result }) => ({
    text: result?.text ?? '',
    isError: result?.isError ?? false,
  }));
}
