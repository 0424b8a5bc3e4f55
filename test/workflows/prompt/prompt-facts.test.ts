import { join } from 'node:path';
import { decodeArrayFromPayloads } from '@temporalio/common/lib/internal-non-workflow';
import { defaultLimits } from '../../../domain/agent';
import { type DelegationStart, readStart, type StartPayload } from '../../../domain/delegation';
import { maxSummaryCharacters } from '../../../domain/delegation';
import { parseSkill, type SkillDefinition } from '../../../domain/skill';
import { isDispatchTool } from '../../../domain/tool';
import { say, type ScriptedCall, scriptByTurn, useTool, useTools } from '../../../testing/scripted-model';
import { dispatch } from '../../support/delegation-script';
import { lookUp } from '../../support/handoffs';
import { Harness } from '../../support/harness';
import { projectFiles, writeProject } from '../../support/skill-project';
import { treePlayer } from '../../support/tree-player';

const notes: SkillDefinition = (() => {
  const parsed = parseSkill({
    name: 'noter',
    description: 'Takes notes.',
    systemPrompt: 'Take notes.',
    output: 'text',
    tools: ['add_note'],
    limits: { maxTurns: 7, budgetTokens: 90_000, deadlineSeconds: 90 },
  });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed));
  return parsed.skill;
})();

/** A child that was started: the prompt that its model was sent, and the settings that are in force. */
interface StartedChild {
  readonly prompt: string;
  readonly tools: readonly string[];
  readonly start: DelegationStart;
  /** Milliseconds since 1970, when the server was asked to start it. */
  readonly requestedAt: number;
}

const field = (prompt: string, name: string): string =>
  new RegExp(`^- \\*\\*${name}\\*\\*(?: – )?(.*(?:\\n  - .*)*)`, 'm').exec(ownPart(prompt))?.[1] ?? '';

/** The prompt without what it embeds, because the embedded prompts have the same fields. */
function ownPart(prompt: string): string {
  const end = prompt.lastIndexOf('<!-- PARENT PROMPT END -->');
  return prompt.slice(0, prompt.indexOf('<!-- PARENT PROMPT START -->')) + prompt.slice(end);
}

const number = (text: string | undefined): number => Number(text?.replaceAll(',', ''));

describe('nothing in the prompt of a delegation is untrue', () => {
  const maxDepth = 2;
  const deadline = new Date(Date.now() + 30 * 60_000).toISOString();
  const budget = { tokens: 800_000, turns: 40 };
  let harness: Harness;
  let children: readonly StartedChild[];

  const child = (depth: number, key: string): StartedChild => {
    const found = children.find(({ start }) => start.depth === depth && start.promptKey === key);
    if (found === undefined) throw new Error(`No child ${key} at depth ${depth}`);
    return found;
  };

  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'), { tools: [lookUp], skills: [notes] });
    const root = await writeProject(join(harness.folder, 'project'));
    const both = (text: string) =>
      useTools([
        { name: 'dispatch_subagent', input: dispatch({ instructions: text }) },
        { name: 'dispatch_skill', input: { skill: 'noter', input: { goal: 'Note what matters. Nothing else.' } } },
      ]);
    const { handle, asked } = await treePlayer(() => harness, 'dispatch_subagent').play(
      [
        scriptByTurn(both('Find what v1.2 broke, e.g. in src/login.ts. Then report.'), say('done')),
        (call) => {
          if (isSkill(call)) return say('Noted.');
          const write = useTool('write_file', { path: 'NEW.md', content: 'hello' });
          return scriptByTurn(write, both('Go deeper.'), say('Fine.'))(call);
        },
        () => say('At the bottom.'),
      ],
      { workspace: { root }, deadline, budget, limits: { ...defaultLimits, maxDepth, maxTurns: 30, maxChildren: 9 } },
    );
    await handle.result();
    children = await startedBelow(handle.workflowId, asked);
  });
  afterAll(() => harness.close());

  const isSkill = ({ systemText }: ScriptedCall): boolean => ownPart(systemText).includes('#### SYSTEM');

  /** Reads what every child of a tree was started with from the history of its parent. */
  async function startedBelow(workflowId: string, asked: readonly ScriptedCall[]): Promise<StartedChild[]> {
    const { events } = await harness.client.workflow.getHandle(workflowId).fetchHistory();
    const started = (events ?? []).flatMap((event) => {
      const attributes = event.startChildWorkflowExecutionInitiatedEventAttributes;
      return attributes == null ? [] : [{ attributes, requestedAt: Number(event.eventTime?.seconds) * 1_000 }];
    });
    const found = await Promise.all(
      started.map(async ({ attributes: { input, workflowId: id }, requestedAt }) => {
        const decoded = await decodeArrayFromPayloads(harness.client.options.loadedDataConverter, input?.payloads);
        const start = readStart((decoded as [StartPayload])[0]);
        const beginning = `# Delegation Overview\n\n- **Delegation id** – ${start.delegationId}\n`;
        const call = asked.find(({ systemText }) => systemText.startsWith(beginning));
        const tools = (call?.request.tools ?? []).flatMap((tool) => ('name' in tool ? [tool.name] : []));
        const below = await startedBelow(id!, asked);
        return [{ prompt: call!.systemText, tools, start, requestedAt }, ...below];
      }),
    );
    return found.flat();
  }

  test('a nested tree of subagents and skills was started', () => {
    expect(children.map(({ start }) => `${start.depth} ${start.promptKey}`).sort()).toEqual([
      '1 noter',
      '1 subagent',
      '2 noter',
      '2 subagent',
    ]);
  });

  test('the reason is the first sentence of the instructions, or of the goal of a skill', () => {
    expect(field(child(1, 'subagent').prompt, 'Reason')).toBe('Find what v1.2 broke, e.g. in src/login.ts.');
    expect(field(child(2, 'subagent').prompt, 'Reason')).toBe('Go deeper.');
    expect(field(child(1, 'noter').prompt, 'Reason')).toBe('Note what matters.');
  });

  test.each([1, 2])('the deadline of a subagent at depth %i is that of the run, with the time left', (depth) => {
    const { prompt, start } = child(depth, 'subagent');
    const [, at = '', left = '', when = ''] = /^(\S+) \((.*) left at (\S+)\)$/.exec(field(prompt, 'Deadline')) ?? [];
    expect(at).toBe(deadline);
    expect(start.deadline).toBe(at);
    const seconds = Math.floor((Date.parse(at) - Date.parse(when)) / 1_000);
    expect(left).toBe(`${Math.floor(seconds / 60)} minutes ${seconds % 60} seconds`.replace(' 0 seconds', ''));
  });

  test.each([1, 2])('the deadline of a skill at depth %i counts from its start', (depth) => {
    const { prompt, start, requestedAt } = child(depth, 'noter');
    expect(field(prompt, 'Deadline')).toMatch(
      new RegExp(`^1 minute 30 seconds after this agent starts, but no later than ${deadline} `),
    );
    const [, composedAt = ''] = / left at (\S+)\)$/.exec(field(prompt, 'Deadline')) ?? [];
    const own = Date.parse(start.deadline!) - 90_000;
    expect(own).toBeGreaterThanOrEqual(Date.parse(composedAt));
    expect(own).toBeLessThanOrEqual(requestedAt + 1_000);
    expect(start.deadline! < deadline).toBe(true);
  });

  test('the budget is an upper bound of the share that was reserved', () => {
    for (const { prompt, start } of children) {
      const line = field(prompt, 'Budget');
      const [, tokens, turns] =
        /^at most ([\d,]+) tokens, ([\d,]+) model calls, for this agent and all/.exec(line) ?? [];
      expect(number(tokens)).toBeGreaterThanOrEqual(start.budget!.tokens!);
      expect(number(tokens)).toBeLessThanOrEqual(start.promptKey === 'noter' ? 90_000 : budget.tokens);
      expect(number(turns)).toBeGreaterThanOrEqual(start.budget!.turns!);
      expect(number(turns)).toBeLessThan(budget.turns);
      expect(line).toContain('The share is reserved when this agent starts and may be smaller.');
    }
  });

  test('the workspace has the files that the agent sees', () => {
    const size = Object.values(projectFiles).reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    const files = Object.keys(projectFiles).length;
    const grouped = (bytes: number): string => String(bytes).replace(/\B(?=(\d{3})+$)/g, ',');
    for (const { prompt, start } of children) {
      expect(start.workspace).not.toBeNull();
      const added = start.depth - 1;
      expect(field(prompt, 'Workspace')).toContain(`: ${files + added} files, ${grouped(size + 5 * added)} bytes at `);
      expect(field(prompt, 'Working directory')).toBe('`.`');
    }
  });

  test('limits, levels and may-delegate are those in force, and dispatch tools match them', () => {
    for (const { prompt, start, tools } of children) {
      const { maxTurns, maxChildren, maxParallel } = start.limits;
      const dispatches = tools.some(isDispatchTool);
      const delegations = `${maxChildren} delegations at most, ${maxParallel} of them at the same time, on ${maxDepth - start.depth} level below this agent.`;
      expect(field(prompt, 'Rate limits').split('\n  - ').slice(1)).toEqual([
        `${maxTurns} model calls at most, unless an operator allows more.`,
        '64 tool calls at most in one reply.',
        dispatches ? delegations : 'No delegations.',
        'No limit of calls per minute.',
      ]);
      expect(maxTurns).toBe(start.promptKey === 'noter' ? 7 : 30);
      expect(field(prompt, 'May delegate further\\?')).toBe(dispatches ? 'yes' : 'no');
      expect(dispatches).toBe(start.promptKey === 'subagent' && start.depth < maxDepth);
    }
  });

  test('network access is denied only for tools that certainly have none', () => {
    expect(field(child(1, 'noter').prompt, 'Network access')).toBe('none: no tool of this agent reaches a network.');
    expect(field(child(1, 'subagent').prompt, 'Network access')).toBe(
      'none through the built-in tools. What `look_up` can reach is in the description of the tool.',
    );
  });

  test('the tools listed as inherited or added are the ones that the model gets', () => {
    for (const { prompt, tools } of children) {
      const listed = [...ownPart(prompt).matchAll(/^#### `(.+)`\n(?:.*\n)*?- \*\*Access\*\* – `(\w+)`/gm)];
      const given = listed.filter(([, , access]) => access !== 'revoked').map(([, name]) => name);
      expect(given.sort()).toEqual([...tools].sort());
    }
  });

  test('the length of the final message that reaches the parent is the one in force', () => {
    for (const { prompt } of children) {
      expect(ownPart(prompt)).toContain(`at most ${maxSummaryCharacters.toLocaleString('en-US')} characters`);
    }
  });
});
