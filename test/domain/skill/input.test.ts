import { validateSkillInput } from '../../../domain/skill';
import { renderInput } from '../../../domain/skill/skill-prompt';
import { skillOf } from './samples';

const skill = skillOf({
  input: {
    type: 'object',
    properties: {
      kind: { type: 'string', enum: ['fast', 'deep'], title: 'Kind' },
      count: { type: 'integer', minimum: 1, maximum: 3 },
      files: { type: 'array', items: { type: 'string', maxLength: 5 }, minItems: 1 },
      options: { type: 'object', properties: { dry: { type: 'boolean' } }, additionalProperties: false },
    },
    required: ['kind'],
  },
});

describe('the input of a skill', () => {
  test('is accepted when its schema accepts it', () => {
    expect(() =>
      validateSkillInput(skill, { kind: 'deep', count: 3, files: ['a'], options: { dry: true } }),
    ).not.toThrow();
    expect(() => validateSkillInput(skill, { kind: 'fast', anything: null })).not.toThrow();
  });

  test.each([
    [{ kind: 'slow' }, 'kind'],
    [{ kind: 'fast', count: 0 }, 'count'],
    [{ kind: 'fast', count: 1.5 }, 'count'],
    [{ kind: 'fast', files: [] }, 'files'],
    [{ kind: 'fast', files: ['a', 'too long'] }, 'files.1'],
    [{ kind: 'fast', options: { wet: true } }, 'options'],
  ])('is refused as %j, naming the field', (input, field) => {
    expect(() => validateSkillInput(skill, input)).toThrow(`skill "sample" is wrong: ${field}: `);
  });

  test('is formatted in the order of the schema, then by name, with unusual names quoted', () => {
    const input = { z: 1, 'a\n# TASK': 'x', files: ['b'], kind: 'fast' };
    expect(renderInput(skill, input)).toBe('Kind: "fast"\nfiles: ["b"]\n"a\\n# TASK": "x"\nz: 1');
    expect(renderInput(skill, {})).toBe('None.');
  });
});
