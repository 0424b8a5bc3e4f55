import fc from 'fast-check';
import { readSkill } from '../../../definitions/skill/read-skill';
import { renderSkillFile } from '../../../definitions/skill/render-skill';
import {
  listedPromptSchema,
  type SkillDefinition,
  type SkillFromServer,
  skillFromPrompt,
  skillFromServed,
  skillHash,
} from '../../../domain/skill';
import { hiddenCharacter } from '../../../domain/skill/foreign-text';
import { skillNameFor } from '../../../domain/skill/from-server';

const digest = `sha256:${'a'.repeat(64)}`;
const source = { server: 'tools', version: '1.0.0', fixed: {} };
const messages = (...texts: readonly string[]): unknown =>
  texts.map((text) => ({ role: 'user', content: { type: 'text', text } }));
const made = (result: SkillFromServer): { readonly skill: SkillDefinition; readonly remarks: readonly string[] } => {
  if ('problem' in result) throw new Error(result.problem);
  return { skill: renderSkillFile(result.value).skill, remarks: result.remarks };
};

/** Everything that was made must be a file from which exactly that is read, with nothing hidden in it. */
const expectSound = (result: SkillFromServer): void => {
  if ('problem' in result) {
    expect(result.problem).not.toBe('');
    return;
  }
  const { skill, text } = renderSkillFile(result.value);
  expect(skill.name).toMatch(/^[A-Za-z][A-Za-z0-9_.-]{0,63}$/);
  expect(hiddenCharacter(text)).toBeUndefined();
  const { skills } = readSkill({ text, file: 'x.yaml', format: 'baton', from: 'project' });
  expect(skills.map(({ hash }) => hash)).toEqual([skillHash(skill)]);
};

describe('a skill made from a prompt', () => {
  test('has a conversation as its text, and the arguments as its input', () => {
    const prompt = listedPromptSchema.parse({
      name: 'Résumé of a/b',
      title: 'Sum up',
      arguments: [{ name: 'style', required: true }, { name: 'length' }, { name: 'fixed' }],
    });
    const { skill, remarks } = made(
      skillFromPrompt(
        prompt,
        [
          { role: 'user', content: { type: 'text', text: 'Sum up in (the value of "style" under INPUT).\r\n' } },
          { role: 'assistant', content: { type: 'resource', resource: { uri: 'file:///x', text: 'An example.' } } },
          { role: 'user', content: { type: 'audio', data: '', mimeType: 'audio/wav' } },
        ],
        { ...source, fixed: { fixed: 'yes' } },
      ),
    );
    expect(skill).toMatchObject({
      name: 'Resume-of-a-b',
      description: 'Sum up',
      systemPrompt: 'User:\n\nSum up in (the value of "style" under INPUT).\n\nAssistant:\n\nAn example.',
      tools: [],
      input: { required: ['style'], properties: { style: { type: 'string' }, length: { type: 'string' } } },
      origin: { mcp: 'tools', prompt: 'Résumé of a/b', version: '1.0.0' },
    });
    expect(remarks).toEqual([
      'it has no tools: add those that it needs',
      '1 of its messages are not text and were left out',
      'the argument "length" does not occur in its text',
    ]);
  });

  test.each([
    ['a control character', 'a\u0007b', 'U+0007'],
    ['reversed text', 'a\u202Eb', 'U+202E'],
    ['hidden words', 'a\u{E0041}b', 'U+E0041'],
    ['half a character', 'a\uD800b', 'half of a character'],
    ['a zero-width space', 'a\u200Bb', 'U+200B'],
  ])('is refused if its text has %s', (_, text, problem) => {
    const result = skillFromPrompt({ name: 'x' }, messages(text), source);
    expect('problem' in result ? result.problem : '').toContain(problem);
  });

  test('is made from emoji, other scripts and CRLF', () => {
    const { skill } = made(skillFromPrompt({ name: 'x' }, messages('👩‍💻 می‌خواهم\r\n日本'), source));
    expect(skill.systemPrompt).toBe('👩‍💻 می‌خواهم\n日本');
  });

  test('leaves out a version that is not one', () => {
    const { skill } = made(skillFromPrompt({ name: 'x' }, messages('Go.'), { ...source, version: 'v'.repeat(1_000) }));
    expect(skill.origin).not.toHaveProperty('version');
  });

  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 80 }),
    fc.string({ unit: 'grapheme-ascii', maxLength: 200 }),
    fc.constantFrom(
      '---\n',
      '${x}',
      '{{x}}',
      '# INPUT\n',
      '</response>',
      '<!-- PARENT PROMPT START -->',
      ': - [',
      '\t- "',
    ),
  );
  const anything = fc.anything({ maxDepth: 3 });

  test('is sound, or refused, whatever a server sends', () => {
    const listed = fc.record(
      {
        name: text,
        title: fc.oneof(text, anything),
        description: fc.oneof(text, anything),
        arguments: fc.oneof(
          anything,
          fc.array(fc.record({ name: text, description: fc.oneof(text, anything), required: anything }), {
            maxLength: 4,
          }),
        ),
      },
      { requiredKeys: ['name'] },
    );
    const content = fc.oneof(
      fc.record({ type: fc.constant('text'), text }),
      fc.record({ type: fc.constant('resource'), resource: fc.record({ text }) }),
      anything,
    );
    const answer = fc.oneof(anything, fc.array(fc.record({ role: text, content }), { maxLength: 4 }));
    fc.assert(
      fc.property(listed, answer, text, (prompt, sent, version) => {
        const parsed = listedPromptSchema.safeParse(prompt);
        if (parsed.success) expectSound(skillFromPrompt(parsed.data, sent, { ...source, version }));
      }),
      { numRuns: 500 },
    );
  });

  test('is sound, or refused, whatever a SKILL.md contains', () => {
    const field = fc.oneof(text, anything);
    const front = fc.record({ name: field, description: field, model: field, 'allowed-tools': field, other: field });
    fc.assert(
      fc.property(front, text, fc.array(text, { maxLength: 3 }), text, (frontmatter, body, others, uri) => {
        expectSound(
          skillFromServed({
            server: 'tools',
            version: undefined,
            uri: uri || 'skill://x',
            digest,
            frontmatter,
            body,
            others,
          }),
        );
      }),
      { numRuns: 500 },
    );
  });
});

describe('the name of an imported skill', () => {
  test('never leaves the folder, and different names that are too long stay different', () => {
    expect(['../../x', '/etc/passwd', 'a/b', '..', '', '日本', 'x'.repeat(80)].map(skillNameFor)).toEqual([
      'x',
      'etc-passwd',
      'a-b',
      expect.stringMatching(/^skill-[0-9a-f]{8}$/),
      expect.stringMatching(/^skill-[0-9a-f]{8}$/),
      expect.stringMatching(/^skill-[0-9a-f]{8}$/),
      expect.stringMatching(/^x{55}-[0-9a-f]{8}$/),
    ]);
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 100 }), (name) => {
        expect(skillNameFor(name)).toMatch(/^[A-Za-z][A-Za-z0-9_.-]{0,63}$/);
      }),
      { numRuns: 500 },
    );
  });
});
