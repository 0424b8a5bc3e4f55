import { z } from 'zod';
import { say, useTool } from '../../../testing/scripted-model';
import { definePrompt, promptSubagentToolsSection, skillsSection, subagentsSection } from '../../../worker';
import { snapshotQuery } from '../../../workflows/messages';
import { skillOf } from '../../domain/skill/samples';
import { batch } from '../../support/batches';
import { failureOf } from '../../support/failures';
import { handingOver } from '../../support/handoffs';
import type { Harness } from '../../support/harness';
import { answerOf, audited, playRoot, resetToStart, toolsOf } from '../../support/own-roots';
import { startOnProject } from '../../support/skill-project';

const teamUpdate = definePrompt({
  ns: 'weekly.review',
  key: 'team-update',
  description: 'Writes the weekly update.',
  parameters: z.object({ body: z.string().describe('what to write about'), tone: z.string().default('calm') }),
  sections: [{ key: 'team-update-body', title: 'Team Update', template: '${body} Be ${tone}.' }, subagentsSection()],
});
const own = (key: string, more: Partial<Parameters<typeof definePrompt>[0]> = {}) =>
  definePrompt({
    ns: 'acme',
    key,
    description: 'For a test.',
    parameters: z.object({}),
    sections: [{ key: 'stance', title: 'Stance', template: 'Answer at once.' }],
    ...more,
  }).definition;

const prompts = [
  teamUpdate.definition,
  own('bare'),
  own('off', { enabled: false }),
  own('reader', {
    parameters: z.object({ goal: z.string() }),
    sections: [{ key: 'task', title: 'Task', template: '${goal}', tools: ['read_file', 'grep'] }],
  }),
  own('dispatcher', {
    sections: [
      { key: 'lead', title: 'Lead', template: 'You lead.', children: [promptSubagentToolsSection([own('bare')])] },
      skillsSection([]),
    ],
  }),
  own('listing', { output: { json: { type: 'array', items: { type: 'string', description: 'A name' } } } }),
  own('broken', { sections: [{ key: 'a', title: 'A', template: 'x', tools: ['fly'] }] }),
];

describe('a root with a registered prompt', () => {
  let harness: Harness;
  let workspace: { root: string };
  beforeAll(async () => {
    ({ harness, workspace } = await startOnProject([skillOf({ name: 'scribe' })], { prompts }));
  });
  afterAll(() => harness.close());

  test('has that prompt alone, and exactly the tool that its section provides; what it dispatches embeds it', async () => {
    const { handle, asked } = await playRoot(
      harness,
      (call) => {
        if (call.systemText.includes('PARENT PROMPT')) return say('1 to 0');
        return call.turn === 0 ? useTool('dispatch_subagents', batch(['Count'])) : say('Updated.');
      },
      { prompt: { ns: 'weekly.review', key: 'team-update', parameters: { body: 'Summarize blockers.' } } },
    );
    expect(await answerOf(handle)).toBe('Updated.');
    expect(asked[0]?.systemText).toMatch(
      /^## Team Update\n\nSummarize blockers\. Be calm\.\n\n## Parallel Subagents\n/,
    );
    expect(toolsOf(asked[0])).toEqual(['dispatch_subagents']);
    const child = asked.find(({ systemText }) => systemText.includes('PARENT PROMPT'));
    expect(child?.systemText).toContain('Summarize blockers. Be calm.');
    expect(toolsOf(child)).toEqual([]);
    expect(await audited(harness, handle)).toMatchObject({ difference: null, children: [{ difference: null }] });
  });

  test('with an output format describes it if the provider does not enforce it, repairs the answer, and returns its value', async () => {
    const { handle, asked } = await playRoot(
      harness,
      (call) => say(call.turn === 0 ? 'Ada and Bob' : '```json\n["Ada", "Bob"]\n```'),
      { prompt: { ns: 'acme', key: 'listing' } },
    );
    expect(await handle.result()).toMatchObject({ turns: 2, value: { text: '["Ada","Bob"]' } });
    expect(asked[0]?.systemText).toMatch(/## Response Format\n[^]*The top-level JSON value MUST be an array[^]*A name/);
    expect(await audited(harness, handle)).toMatchObject({ difference: null });
  });

  test('without any tools can only answer; with a parameter "goal" it gets the goal', async () => {
    const bare = await playRoot(harness, () => say('Yes.'), { prompt: { ns: 'acme', key: 'bare' } });
    expect(await answerOf(bare.handle)).toBe('Yes.');
    expect(toolsOf(bare.asked[0])).toEqual([]);
    const reader = await playRoot(harness, () => say('Read.'), {
      goal: 'Read it.',
      prompt: { ns: 'acme', key: 'reader' },
      workspace,
    });
    expect(await answerOf(reader.handle)).toBe('Read.');
    expect(reader.asked[0]?.systemText).toBe('## Task\n\nRead it.\n');
    expect(toolsOf(reader.asked[0])).toEqual(['read_file', 'grep']);
  });

  test('gets the dispatch tools that its sections provide, at any depth of its sections', async () => {
    const { handle, asked } = await playRoot(harness, () => say('Led.'), { prompt: { ns: 'acme', key: 'dispatcher' } });
    await handle.result();
    expect(toolsOf(asked[0])).toEqual(['dispatch_subagent', 'dispatch_skill']);
  });

  test('baton/agent is Baton’s own, whose other parameters can be given', async () => {
    const { handle, asked } = await playRoot(harness, () => say('Ahoy.'), {
      goal: 'Greet.',
      prompt: { ns: 'baton', key: 'agent', parameters: { answer_format: 'One word.' } },
    });
    await handle.result();
    expect(asked[0]?.systemText).toMatch(/## Task\n\nGreet\.[\s\S]*One word\.\n$/);
    expect(toolsOf(asked[0])).toContain('dispatch_subagents');
  });

  test('continues as new, hands off and can be reset, with the same prompt and nothing paid twice', async () => {
    let turns = 0;
    const script = handingOver(() => (++turns < 4 ? useTool('grep', { pattern: 'x' }) : say('Found.')));
    const { handle, asked } = await playRoot(harness, script, {
      goal: 'Find it.',
      prompt: { ns: 'acme', key: 'reader' },
      workspace,
      tuning: { turnsPerExecution: 1 },
      handoff: { at: 0.000_01, max: 8 },
    });
    const before = await handle.result();
    expect(before.answer).toEqual({ text: 'Found.' });
    expect((await handle.query(snapshotQuery)).handoffs).toHaveLength(3);
    expect((await handle.describe()).runId).not.toBe(handle.firstExecutionRunId);
    expect(new Set(asked.map(({ systemText }) => systemText))).toEqual(new Set(['## Task\n\nFind it.\n']));
    const paid = asked.length;
    expect(await resetToStart(harness, handle)).toMatchObject({ answer: { text: 'Found.' } });
    expect(asked).toHaveLength(paid);
  });

  test.each([
    [
      'an unknown prompt',
      { prompt: { ns: 'acme', key: 'raeder' } },
      'Prompt.Unknown',
      /^prompt: prompt acme\/raeder does not exist\. Did you mean acme\/reader\? Choose one of: acme\/bare, /,
    ],
    [
      'a disabled prompt',
      { prompt: { ns: 'acme', key: 'off' } },
      'Prompt.Disabled',
      /^prompt: prompt acme\/off is disabled\. /,
    ],
    [
      'a missing parameter',
      { prompt: { ns: 'weekly.review', key: 'team-update' } },
      'Prompt.MissingParameter',
      /^prompt\.parameters\.body: .* needs a value for \$\{body\}\. Give body: what to write about$/,
    ],
    [
      'an unknown parameter',
      { prompt: { ns: 'acme', key: 'bare', parameters: { x: 'y' } } },
      'Prompt.UnknownParameter',
      /^prompt\.parameters\.x: prompt acme\/bare has no parameter x\. It takes none\.$/,
    ],
    [
      'a goal that has no place',
      { goal: 'Do it.', prompt: { ns: 'acme', key: 'bare' } },
      'Input.Invalid',
      /^goal: prompt acme\/bare has no parameter "goal"/,
    ],
    [
      'two goals',
      { goal: 'A', prompt: { ns: 'acme', key: 'reader', parameters: { goal: 'B' } } },
      'Input.Invalid',
      /^goal: prompt\.parameters has another goal/,
    ],
    [
      'a skill',
      { prompt: { ns: 'skills', key: 'scribe' } },
      'Input.Invalid',
      /^prompt: skills\/scribe is a skill\. Start it as a skill: --skill scribe/,
    ],
    [
      'a tool that nobody has',
      { prompt: { ns: 'acme', key: 'broken' } },
      'Input.Invalid',
      /names the tool "fly", which this worker does not have\. Tools of this worker: list_files,/,
    ],
    [
      'a dispatch tool where delegating is forbidden',
      {
        prompt: { ns: 'acme', key: 'dispatcher' },
        limits: { maxTurns: 5, maxDepth: 0, maxChildren: 1, maxParallel: 1 },
      },
      'Input.Invalid',
      /names the tool "dispatch_subagent".*--max-depth/,
    ],
    [
      'a prompt and a skill',
      { prompt: { ns: 'acme', key: 'bare' }, skill: { name: 'scribe' } },
      'Input.Invalid',
      /^skill: a run has a prompt or a skill, not both/,
    ],
    ['nothing at all', {}, 'Input.Invalid', /^goal: is required unless there is a prompt or a skill/],
  ])('fails at once for %s, and says what to do', async (_, wishes, type, message) => {
    const { handle, asked } = await playRoot(harness, () => say('never'), wishes);
    const failure = await failureOf(handle);
    expect({ type: failure.type, message: failure.message }).toEqual({
      type,
      message: expect.stringMatching(message) as unknown,
    });
    expect(asked).toEqual([]);
  });
});
