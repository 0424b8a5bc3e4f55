import { z } from 'zod';
import { bullets, code, isBlank } from '../markdown';
import type { JsonSchema } from './json-output';

/** What the section `Response Format` tells a model about its answer. */
export const responseFormatSchema = z.strictObject({
  container: z.enum(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']),
  allowExtraKeys: z.boolean().optional().describe('Default: false'),
  fields: z
    .array(
      z.strictObject({ name: z.string().min(1), description: z.string().optional(), rules: z.string().optional() }),
    )
    .optional(),
  reporting: z.array(z.string()).optional().describe('Additional notes on the answer'),
});
export type ResponseFormat = Readonly<z.infer<typeof responseFormatSchema>>;
type FieldNote = NonNullable<ResponseFormat['fields']>[number];

/**
 * Writes the section for a model API without structured output. The specification fixes the first two paragraphs
 * verbatim.
 */
export function responseFormatBody({ container, allowExtraKeys, fields = [], reporting = [] }: ResponseFormat): string {
  const article = /^[aeiou]/.test(container) ? 'an' : 'a';
  const extraClause = allowExtraKeys === true ? '.' : '. Do not add extra keys.';
  const notes = [...fields.map(fieldNote), ...reporting];
  return [
    'Return ONLY a single fenced JSON code block. Do not include any text before or after the block.',
    `The top-level JSON value MUST be ${article} ${container} that matches the fields of the expected schema${extraClause}`,
    ...(notes.length > 0 ? [bullets(notes)] : []),
  ].join('\n\n');
}

function fieldNote({ name, description, rules }: FieldNote): string {
  const notes = [description, rules].filter((text) => !isBlank(text));
  return notes.length === 0 ? code(name) : `${code(name)} – ${notes.join(' ')}`;
}

/** Describes a schema: every field at any depth by its path, such as `findings[].place`, with its rules. */
export function responseFormatOf(schema: JsonSchema): ResponseFormat {
  const { type, description } = schema;
  const closing = type === 'array' ? schema.items : schema;
  return {
    container: type,
    allowExtraKeys: closing?.type !== 'object' || closing.additionalProperties === true,
    fields: fieldsOf(schema, ''),
    reporting: [
      ...(type === 'object' ? [] : [`The top-level value: ${rulesOf(schema)}`]),
      ...(isBlank(description) ? [] : [description]),
    ],
  };
}

function fieldsOf({ properties = {}, required = [], items }: JsonSchema, above: string): FieldNote[] {
  const children = Object.entries(properties).map(
    ([name, schema]) => [above === '' ? name : `${above}.${name}`, schema, required.includes(name)] as const,
  );
  const entries = items === undefined ? [] : [[`${above}[]`, items, true] as const];
  return [...children, ...entries].flatMap(([path, schema, isRequired]) => [
    {
      name: path,
      ...(isBlank(schema.description) ? {} : { description: schema.description }),
      rules: rulesOf(schema, isRequired),
    },
    ...fieldsOf(schema, path),
  ]);
}

/** Writes the rules of a field in one sentence, such as `Array, at most 3 items, optional.` */
function rulesOf(schema: JsonSchema, isRequired = true): string {
  const { type, enum: values, minItems, maxItems, minLength, maxLength, minimum, maximum } = schema;
  const rules = [
    type,
    ...(values === undefined ? [] : [`one of ${values.map((value) => JSON.stringify(value)).join(', ')}`]),
    ...range(minItems, maxItems, 'item'),
    ...range(minLength, maxLength, 'character'),
    ...range(minimum, maximum),
    ...(isRequired ? [] : ['optional']),
  ].join(', ');
  return `${rules.charAt(0).toUpperCase()}${rules.slice(1)}.`;
}

function range(least: number | undefined, most: number | undefined, unit?: string): string[] {
  const amount = (limit: number): string => {
    return unit === undefined ? `${limit}` : `${limit} ${unit}${limit === 1 ? '' : 's'}`;
  };
  return [
    ...(least === undefined ? [] : [`at least ${amount(least)}`]),
    ...(most === undefined ? [] : [`at most ${amount(most)}`]),
  ];
}
