import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { auditRun } from '../../../client/prompt/audit-run';
import { runIdOf } from '../../../domain/kernel';
import { definePrompt, promptSubagentToolsSection, skillsSection, subagentsSection } from '../../../worker';
import { searchAttributes } from '../../../temporal-config/search-attributes';
import { say, type Script, type ScriptedCall, useTool } from '../../../testing/scripted-model';
import { snapshotQuery } from '../../../workflows/messages';
import { batch } from '../../support/batches';
import { failureOf } from '../../support/failures';
import { handingOver } from '../../support/handoffs';
import type { Harness, RunHandle, RunWishes } from '../../support/harness';
import { skillOf } from '../../domain/skill/samples';
import { discovery, response, shipped, startOnProject } from '../../support/skill-project';

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
  own('broken', { sections: [{ key: 'a', title: 'A', template: 'x', tools: ['fly'] }] }),
];

/** A skill whose model, limits, tools and output all differ from those of a run. */
const scribe = skillOf({
  name: 'scribe',
  tools: ['add_note', 'no_such_tool'],
  input: {
    type: 'object',
    properties: { goal: { type: 'string', title: 'User Goal' }, pages: { type: 'integer' } },
    required: ['goal'],
    additionalProperties: false,
  },
  output: { json: { type: 'object', properties: { done: { type: 'boolean' } }, required: ['done'] } },
  model: { name: 'claude-haiku-5-5', maxTokens: 500 },
  limits: { maxTurns: 7, budgetTokens: 900_000, deadlineSeconds: 3_000 },
});

describe('a root of one’s own', () => {
  let harness: Harness;
  let workspace: { root: string };
  beforeAll(async () => {
    ({ harness, workspace } = await startOnProject([...(await shipped()), scribe], { prompts }));
  });
  afterAll(() => harness.close());

  /** Starts a run without a goal, unless it is given one, and records the calls to its model. */
  const play = async (script: Script, wishes: RunWishes): Promise<{ handle: RunHandle; asked: ScriptedCall[] }> => {
    const asked: ScriptedCall[] = [];
    harness.model.setScript((call) => {
      asked.push(call);
      return script(call);
    });
    return { handle: await harness.startRun({ goal: undefined, ...wishes }), asked };
  };
  const toolsOf = (call: ScriptedCall | undefined): string[] =>
    (call?.request.tools ?? []).map((tool) => (tool as { name: string }).name);
  const textOf = async (handle: RunHandle): Promise<unknown> =>
    ((await handle.result()).answer as { text: string }).text;
  const audited = async ({ workflowId }: RunHandle): Promise<unknown> =>
    auditRun(harness.client, harness.store.forRun(runIdOf(workflowId)!));

  describe('with a registered prompt', () => {
    test('has that prompt alone, and exactly the tool that its section provides; what it dispatches embeds it', async () => {
      const { handle, asked } = await play(
        (call) => {
          if (call.systemText.includes('PARENT PROMPT')) return say('1 to 0');
          return call.turn === 0 ? useTool('dispatch_subagents', batch(['Count'])) : say('Updated.');
        },
        { prompt: { ns: 'weekly.review', key: 'team-update', parameters: { body: 'Summarize blockers.' } } },
      );
      expect(await textOf(handle)).toBe('Updated.');
      expect(asked[0]?.systemText).toMatch(
        /^## Team Update\n\nSummarize blockers\. Be calm\.\n\n## Parallel Subagents\n/,
      );
      expect(toolsOf(asked[0])).toEqual(['dispatch_subagents']);
      const child = asked.find(({ systemText }) => systemText.includes('PARENT PROMPT'));
      expect(child?.systemText).toContain('Summarize blockers. Be calm.');
      expect(toolsOf(child)).toEqual([]);
      expect(await audited(handle)).toMatchObject({ difference: null, children: [{ difference: null }] });
    });

    test('without any tools can only answer; with a parameter "goal" it gets the goal', async () => {
      const bare = await play(() => say('Yes.'), { prompt: { ns: 'acme', key: 'bare' } });
      expect(await textOf(bare.handle)).toBe('Yes.');
      expect(toolsOf(bare.asked[0])).toEqual([]);
      const reader = await play(() => say('Read.'), {
        goal: 'Read it.',
        prompt: { ns: 'acme', key: 'reader' },
        workspace,
      });
      expect(await textOf(reader.handle)).toBe('Read.');
      expect(reader.asked[0]?.systemText).toBe('## Task\n\nRead it.\n');
      expect(toolsOf(reader.asked[0])).toEqual(['read_file', 'grep']);
    });

    test('gets the dispatch tools that its sections provide, at any depth of its sections', async () => {
      const { handle, asked } = await play(() => say('Led.'), { prompt: { ns: 'acme', key: 'dispatcher' } });
      await handle.result();
      expect(toolsOf(asked[0])).toEqual(['dispatch_subagent', 'dispatch_skill']);
    });

    test('baton/agent is Baton’s own, whose other parameters can be given', async () => {
      const { handle, asked } = await play(() => say('Ahoy.'), {
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
      const { handle, asked } = await play(script, {
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
      const { handle, asked } = await play(() => say('never'), wishes);
      const failure = await failureOf(handle);
      expect({ type: failure.type, message: failure.message }).toEqual({
        type,
        message: expect.stringMatching(message) as unknown,
      });
      expect(asked).toEqual([]);
    });
  });

  describe('with a skill', () => {
    test('has the composite prompt alone, with the files that it injects, its tools and its output format', async () => {
      const { handle, asked } = await play(
        (call) =>
          call.turn === 0
            ? useTool('write_artifact', { name: 'DISCOVERY.md', content: 'It is plain.' })
            : say(response(discovery)),
        { skill: { name: 'researcher', input: { goal: 'How does login work?' } }, workspace },
      );
      expect(await textOf(handle)).toBe(discovery);
      const [{ systemText }] = asked as [ScriptedCall];
      expect(systemText.match(/^#+ [A-Z].*$/gm)).toEqual(['# SYSTEM', '# CONTEXT (Injected)', '# TASK', '# INPUT']);
      expect(systemText).toContain('  login.ts');
      expect(systemText).toContain('No new dependencies.');
      expect(systemText).toMatch(/# INPUT\n\nUser Goal: "How does login work\?"\n$/);
      expect(toolsOf(asked[0])).toEqual([
        'list_files',
        'read_file',
        'grep',
        'write_artifact',
        'read_artifact',
        'add_note',
      ]);
      expect(await handle.query(snapshotQuery)).toMatchObject({ skill: 'researcher', maxTurns: 50 });
      const { typedSearchAttributes } = await handle.describe();
      expect(typedSearchAttributes.get(searchAttributes.skill)).toBe('researcher');
      expect(await audited(handle)).toMatchObject({ difference: null });
    });

    test('has the skill’s model and limits, also after it continued as new, and repairs its answer', async () => {
      const replies = [useTool('add_note', { text: 'n' }), say('no JSON'), say('{"done":true}')];
      const { handle, asked } = await play(() => replies.shift() ?? say('asked too often'), {
        goal: 'Write it.',
        skill: { name: 'scribe', input: { pages: 2 } },
        tuning: { turnsPerExecution: 1 },
      });
      expect(await textOf(handle)).toBe('{"done":true}');
      expect(asked.map(({ request }) => [request.model, request.max_tokens])).toEqual(
        Array.from({ length: 3 }, () => ['claude-haiku-5-5', 500]),
      );
      expect(toolsOf(asked[0])).toEqual(['add_note']);
      expect(asked[0]?.systemText).toContain('User Goal: "Write it."\npages: 2');
      const { model, maxTurns, budget } = await handle.query(snapshotQuery);
      expect({ model, maxTurns, budget }).toEqual({
        model: 'claude-haiku-5-5',
        maxTurns: 7,
        budget: { tokens: 900_000 },
      });
      expect(await resetToStart(harness, handle)).toMatchObject({ answer: { text: '{"done":true}' } });
      expect(asked).toHaveLength(3);
    });

    test.each([
      [
        'an unknown skill',
        { skill: { name: 'reseacher' } },
        /^Unknown skill "reseacher"\. Did you mean "researcher"\? Available: executor, /,
      ],
      ['a missing field', { skill: { name: 'scribe' } }, /^The input of skill "scribe" is wrong: .*goal/],
      [
        'an unknown field',
        { goal: 'x', skill: { name: 'scribe', input: { size: 1 } } },
        /^The input of skill "scribe" is wrong: .*size/,
      ],
      [
        'a field of another type',
        { goal: 'x', skill: { name: 'scribe', input: { pages: 'two' } } },
        /^The input of skill "scribe" is wrong: pages: /,
      ],
      [
        'two goals',
        { goal: 'x', skill: { name: 'scribe', input: { goal: 'y' } } },
        /^goal: skill\.input has another goal/,
      ],
      ['files that are missing', { goal: 'x', skill: { name: 'researcher' } }, /^Skill "researcher" needs /],
    ])('fails at once for %s, also before a folder is imported', async (what, wishes, message) => {
      const folders = what.startsWith('files') ? [{}] : [{}, { workspace: { root: '/no/such/folder' } }];
      for (const folder of folders) {
        const { handle, asked } = await play(() => say('never'), { ...wishes, ...folder });
        const failure = await failureOf(handle);
        expect(failure).toMatchObject({ type: 'Input.Invalid', nonRetryable: true });
        expect(failure.message).toMatch(message);
        expect(asked).toEqual([]);
      }
    });
  });
});

/** Resets the first execution of a run to its first workflow task, and returns the new result. */
async function resetToStart(harness: Harness, handle: RunHandle): Promise<unknown> {
  const { workflowId, firstExecutionRunId } = handle;
  const { events } = await harness.client.workflow.getHandle(workflowId, firstExecutionRunId).fetchHistory();
  const { eventId } = events!.find((event) => event.workflowTaskCompletedEventAttributes)!;
  const { runId } = await harness.client.workflowService.resetWorkflowExecution({
    namespace: 'default',
    workflowExecution: { workflowId, runId: firstExecutionRunId },
    workflowTaskFinishEventId: eventId!,
    requestId: randomUUID(),
    reason: 'test',
  });
  return harness.client.workflow.getHandle(workflowId, runId).result();
}
