import { definePrompt, renderPrompt, withResponseFormat } from '../../../../domain/prompt';
import {
  type JsonSchema,
  type OutputFormat,
  responseFormatBody,
  responseFormatOf,
} from '../../../../domain/prompt/output';
import { z } from 'zod';

const review: JsonSchema = {
  type: 'object',
  description: 'Judge only what you have read.',
  properties: {
    verdict: { type: 'string', enum: ['pass', 'fail'], description: 'Whether it may be merged.' },
    findings: {
      type: 'array',
      minItems: 1,
      items: { type: 'object', properties: { line: { type: 'integer', minimum: 1 }, note: { type: 'string' } } },
    },
  },
  required: ['verdict'],
  additionalProperties: false,
};

const fixed = 'Return ONLY a single fenced JSON code block. Do not include any text before or after the block.\n\n';

describe('the response format of a schema', () => {
  test('has the fixed sentences, then every field at any depth with its description and rules', () => {
    expect(responseFormatBody(responseFormatOf(review))).toBe(
      `${fixed}The top-level JSON value MUST be an object that matches the fields of the expected schema. Do not add extra keys.\n\n` +
        [
          '- `verdict` – Whether it may be merged. String, one of "pass", "fail".',
          '- `findings` – Array, at least 1 item, optional.',
          '- `findings[]` – Object.',
          '- `findings[].line` – Integer, at least 1, optional.',
          '- `findings[].note` – String, optional.',
          '- Judge only what you have read.',
        ].join('\n'),
    );
  });

  test.each<[JsonSchema, string]>([
    [
      { type: 'array', items: { type: 'string' }, maxItems: 3 },
      'an array that matches the fields of the expected schema.\n',
    ],
    [{ type: 'integer' }, 'an integer that matches'],
    [{ type: 'string' }, 'a string that matches'],
    [{ type: 'object', additionalProperties: true }, 'an object that matches the fields of the expected schema.'],
  ])('of %j requires %s', (schema, sentence) => {
    expect(`${responseFormatBody(responseFormatOf(schema))}\n`).toContain(`MUST be ${sentence}`);
  });
});

describe('a prompt that is used alone', () => {
  const define = (output: OutputFormat, key = 'task') =>
    definePrompt({
      ns: 'n',
      key: 'k',
      description: 'd',
      parameters: z.object({}),
      sections: [{ key, title: 'Task', template: 'Judge.' }],
      output,
    }).definition;
  const render = (output: OutputFormat) => renderPrompt(withResponseFormat(define(output))).markdown;

  test('ends with the format of its answer', () => {
    expect(render({ json: { ...review, description: 'Not ${this}.' } })).toMatch(
      /## Task\n\nJudge\.\n\n## Response Format\n\nReturn ONLY a single[^]*- Not \$\{this\}\.\n$/,
    );
    expect(render({ xml: { root: 'verdict', fields: [{ name: 'why' }] } })).toMatch(
      /## Response Format\n\nYour final message must be exactly one `<response>` element[^]*<why><\/why>/,
    );
  });

  test('keeps a section of its own about that', () => {
    const own = define({ json: review }, 'response-format');
    expect(withResponseFormat(own)).toEqual(own);
  });
});
