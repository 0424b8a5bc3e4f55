import { jsonDigest } from '../../../domain/kernel';
import { skillDefinitionSchema, skillHash } from '../../../domain/skill';
import { problemsOf, skillOf } from './samples';

describe('a skill definition', () => {
  test('answers in free text only if it says so', () => {
    expect(skillOf({ output: 'text' }).output).toBeNull();
    expect(problemsOf({ output: 'markdown' })).toEqual(['output']);
    expect(problemsOf({ output: { xml: { root: 'a', fields: [{ name: 'b', wrong: 1 }] } } })).toEqual([
      'output.xml.fields.0.wrong',
    ]);
  });

  test('may omit fields with defaults, and is complete once it is parsed', () => {
    const skill = skillOf();
    expect(skill).toMatchObject({
      output: { xml: { root: 'answer' } },
      slice: [],
      model: {},
      limits: {},
      input: { required: ['goal'] },
    });
    expect(skillDefinitionSchema.parse(JSON.parse(JSON.stringify(skill)))).toEqual(skill);
  });

  test.each([
    ['an unknown field', { colour: 'red' }, 'colour'],
    ['an unknown field further down', { slice: [{ source: 'a.md', tag: 'a', must: true }] }, 'slice.0.must'],
    ['a name with a space', { name: 'my skill' }, 'name'],
    ['an empty system prompt', { systemPrompt: ' \n' }, 'systemPrompt'],
    ['a source outside the workspace', { slice: [{ source: '../a', tag: 'a' }] }, 'slice.0.source'],
    [
      'an absolute source',
      { slice: [{ source: { mentionedIn: '/etc/passwd' }, tag: 'a' }] },
      'slice.0.source.mentionedIn',
    ],
    ['a tag that is no name', { slice: [{ source: 'a', tag: 'a b' }] }, 'slice.0.tag'],
    ['the tag that lists what is absent', { slice: [{ source: 'a', tag: 'absent' }] }, 'slice.0.tag'],
    ['an input that is no object', { input: { type: 'string' } }, 'input'],
    ['a keyword that is not supported', { input: { type: 'object', pattern: 'x' } }, 'input.pattern'],
    ['a required field without a property', { input: { type: 'object', required: ['a'] } }, 'input.required.0'],
    [
      'two output formats',
      { output: { json: { type: 'object' }, xml: { root: 'a', fields: [{ name: 'b' }] } } },
      'output',
    ],
    ['no output format', { output: {} }, 'output'],
    [
      'an answer whose root is the element around it',
      { output: { xml: { root: 'response', fields: [{ name: 'b' }] } } },
      'output.xml.root',
    ],
    [
      'two elements of one name',
      { output: { xml: { root: 'a', fields: [{ name: 'b', fields: [{ name: 'c' }, { name: 'c' }] }] } } },
      'output.xml.fields.0.fields',
    ],
    ['a reply that fills the window', { model: { name: 'gpt', window: 9, maxTokens: 9 } }, 'model.maxTokens'],
    ['an impossible limit', { limits: { handoffAt: 1.5 } }, 'limits.handoffAt'],
  ])('is refused with %s, naming the field', (_, fields, field) => {
    expect(problemsOf(fields)).toEqual([field]);
  });

  test('reports all its problems at once', () => {
    expect(problemsOf({ name: '', tools: 'grep', extra: 1 })).toEqual(['name', 'tools', 'extra']);
  });

  test('has a hash that depends on its content and not on its formatting', () => {
    const one = skillOf({ tools: ['grep'], limits: { maxTurns: 3, maxHandoffs: 1 } });
    const other = skillOf({ limits: { maxHandoffs: 1, maxTurns: 3 }, tools: ['grep'] });
    expect(skillHash(one)).toBe(skillHash(other));
    expect(skillHash(one)).not.toBe(skillHash(skillOf({ tools: ['grep'] })));
    expect(skillHash(one)).toBe(jsonDigest(JSON.parse(JSON.stringify(one))));
  });
});
