import { dispatch } from '../../support/delegation-script';
import type { Random } from '../random';
import { type AgentPlan, type Delegating, introduction, type ToolUse } from './plan';

/** Notes that begin like this wait for an operator, who approves or refuses them. */
export const approvedNote = 'ask';
export const refusedNote = 'refuse';
/** The skill that agents of a tree may have. */
export const chaosSkill = 'worker';
/** The MCP server of the trees, and its tool. */
export const chaosServer = 'chaos';
/** The command that may run again after a crash. Any other is interrupted, and the agent calls it again. */
export const safeCommand = 'echo safe';

/** Files of the workspace that every run starts with. */
export const workspaceFiles: Readonly<Record<string, string>> = {
  'stars.txt': 'Sirius\nVega\n',
  'docs/readme.md': 'Read me.\n',
};

const ok = (tool: string, input: Record<string, unknown>): ToolUse => ({ tool, input, outcome: 'ok' });

type MakeUse = (name: string, number: number) => ToolUse;

/** Calls that any agent may make. What they write has the agent's name and a number, so that nothing is written twice. */
const makers: readonly MakeUse[] = [
  (name, number) => ok('add_note', { text: `${name} ${number}` }),
  (name, number) => ok('add_note', { text: `${name} ${number}` }),
  (name, number) => ok('add_plan_steps', { steps: [`${name} ${number}`, `${name} ${number} again`] }),
  (name, number) => ok('write_file', { path: `${name}-${number}.txt`, content: `By ${name}.\n` }),
  (name, number) => ok('write_artifact', { name: `${name}-${number}.md`, content: `Found by ${name}.` }),
  () => ok('read_file', { path: 'stars.txt' }),
  (name, number) => ok(`mcp__${chaosServer}__echo`, { text: `${name} ${number}` }),
  (name, number) => ok('add_note', { text: `${approvedNote} ${name} ${number}` }),
  (name, number) => ({
    tool: 'add_note',
    input: { text: `${refusedNote} ${name} ${number}` },
    outcome: 'denied',
  }),
];

export function randomUse(random: Random, name: string, number: number): ToolUse {
  return makers[random(makers.length)]!(name, number);
}

/** A command is the only call of its reply: the reply is repeated if a crash interrupts the command. */
export function randomCommand(random: Random): ToolUse {
  return ok('run_command', { command: random(2) === 0 ? safeCommand : 'cat stars.txt' });
}

export function isolated(child: AgentPlan, runId: string): Delegating {
  const input = dispatch({ instructions: introduction(child.name, runId) });
  return { tool: 'dispatch_subagent', input, children: [child] };
}

export function shared(children: readonly AgentPlan[], runId: string): Delegating {
  const delegations = children.map(({ name }) => ({
    reason: introduction(name, runId),
    expected_result: 'What came of it.',
    may_delegate_further: 'yes',
    recap_lines: ['Do what your script says.'],
  }));
  return { tool: 'dispatch_subagents', input: { delegations }, children };
}

export function skilled(child: AgentPlan, runId: string): Delegating {
  const input = { skill: chaosSkill, input: { goal: introduction(child.name, runId) } };
  return { tool: 'dispatch_skill', input, children: [child] };
}
