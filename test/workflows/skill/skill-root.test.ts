import { searchAttributes } from '../../../temporal-config/search-attributes';
import { hang, say, type ScriptedCall, useTool } from '../../../testing/scripted-model';
import { snapshotQuery } from '../../../workflows/messages';
import { skillOf } from '../../domain/skill/samples';
import { failureOf } from '../../support/failures';
import type { Harness } from '../../support/harness';
import { answerOf, audited, playRoot, resetToStart, toolsOf } from '../../support/own-roots';
import { discovery, response, shipped, startOnProject } from '../../support/skill-project';

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

/** A skill that has no time. */
const hasty = skillOf({ name: 'hasty', limits: { deadlineSeconds: 1 } });

describe('a root with a skill', () => {
  let harness: Harness;
  let workspace: { root: string };
  beforeAll(async () => {
    ({ harness, workspace } = await startOnProject([...(await shipped()), scribe, hasty]));
  });
  afterAll(() => harness.close());

  test('has the composite prompt alone, with the files that it injects, its tools and its output format', async () => {
    const { handle, asked } = await playRoot(
      harness,
      (call) =>
        call.turn === 0
          ? useTool('write_artifact', { name: 'DISCOVERY.md', content: 'It is plain.' })
          : say(response(discovery)),
      { skill: { name: 'researcher', input: { goal: 'How does login work?' } }, workspace },
    );
    expect(await answerOf(handle)).toBe(discovery);
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
    expect(await audited(harness, handle)).toMatchObject({ difference: null });
  });

  test('has the skill’s model and limits, also after it continued as new, and repairs its answer', async () => {
    const replies = [useTool('add_note', { text: 'n' }), say('no JSON'), say('{"done":true}')];
    const { handle, asked } = await playRoot(harness, () => replies.shift() ?? say('asked too often'), {
      goal: 'Write it.',
      skill: { name: 'scribe', input: { pages: 2 } },
      tuning: { turnsPerExecution: 1 },
    });
    expect(await answerOf(handle)).toBe('{"done":true}');
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
      const { handle, asked } = await playRoot(harness, () => say('never'), { ...wishes, ...folder });
      const failure = await failureOf(handle);
      expect(failure).toMatchObject({ type: 'Input.Invalid', nonRetryable: true });
      expect(failure.message).toMatch(message);
      expect(asked).toEqual([]);
    }
  });

  test('ends when the time that its skill allows is over', async () => {
    const deadline = new Date(Date.now() + 3_600_000).toISOString();
    const { handle } = await playRoot(harness, () => hang(), { goal: 'x', skill: { name: 'hasty' }, deadline });
    expect(await failureOf(handle)).toMatchObject({
      type: 'Budget.Exceeded',
      message: expect.stringMatching(/^The deadline .* has passed/) as unknown,
    });
  });
});
