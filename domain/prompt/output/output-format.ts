import { z } from 'zod';
import { type JsonSchema, jsonSchemaSchema } from './json-output';

/** The element around every XML answer. Its closing tag is a stop sequence, so it occurs only once. */
export const responseElement = 'response';
const end = `</${responseElement}>`;

const elementName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/, 'must be an XML name of letters, digits, `_` and `-`')
  .refine(
    (name) => name !== responseElement,
    `\`${responseElement}\` is reserved for the element around the answer: use another name`,
  );

/** An element of the answer. It contains other elements if `fields` is set, otherwise text. */
export interface XmlField {
  readonly name: string;
  readonly description?: string | undefined;
  /** Whether the element may be omitted. Default: false. */
  readonly optional?: boolean | undefined;
  /** Whether the element may occur more than once. Default: false. */
  readonly repeated?: boolean | undefined;
  readonly fields?: readonly XmlField[] | undefined;
}

const xmlFieldSchema: z.ZodType<XmlField> = z.strictObject({
  name: elementName,
  description: z.string().optional(),
  optional: z.boolean().optional(),
  repeated: z.boolean().optional(),
  get fields() {
    return fieldListSchema.optional();
  },
});

const fieldListSchema: z.ZodType<readonly XmlField[]> = z.lazy(() =>
  z
    .array(xmlFieldSchema)
    .min(1)
    .refine(
      (fields) => new Set(fields.map(({ name }) => name)).size === fields.length,
      'two fields have the same name: use `repeated` for a field that occurs more than once',
    ),
);

/**
 * The strict format of a final message: JSON that matches a schema, or a root element inside `<response>`. A root without
 * fields contains a text, which is taken literally: nothing in it has to be escaped.
 */
export const outputFormatSchema = z
  .strictObject({
    json: jsonSchemaSchema.optional(),
    xml: z.strictObject({ root: elementName, fields: fieldListSchema.optional() }).optional(),
  })
  .refine(({ json, xml }) => (json === undefined) !== (xml === undefined), 'must have either json or xml');
/** The strict format of a final message: `json` with a schema, or `xml` with a root element and its fields. */
export type OutputFormat = Readonly<z.infer<typeof outputFormatSchema>>;
export type XmlFormat = NonNullable<OutputFormat['xml']>;

/** The format of a skill that does not define one. Its answer is a text, with nothing before or after it. */
export const defaultOutput: OutputFormat = { xml: { root: 'answer' } };

/** Whether the answer is one text. Its text is then all there is to it: it has no parsed value besides. */
export function isTextOnly({ xml }: OutputFormat): boolean {
  return xml !== undefined && xml.fields === undefined;
}

/** Returns the instructions for the model about the format of its answer. */
export function outputInstructions({ json, xml }: OutputFormat): string {
  if (json !== undefined) return describeJson(json);
  return xml === undefined ? '' : describeXml(xml);
}

const escaping =
  'In text, escape `<` and `&` as `&lt;` and `&amp;`. Use no attributes and no comments. Use this structure, without the `<!-- -->` remarks:';

function describeXml({ root, fields }: XmlFormat): string {
  return [
    `Your final message must be exactly one \`<${responseElement}>\` element, with nothing before it, no code fence, and nothing after \`${end}\`.`,
    fields === undefined
      ? `Write your whole answer into \`<${root}>\`, as plain text in which nothing is escaped:`
      : escaping,
    '',
    ...element({ name: responseElement, fields: [{ name: root, description: 'your answer', fields }] }, ''),
  ].join('\n');
}

function describeJson(schema: JsonSchema): string {
  return [
    'Your final message must be exactly one JSON value that conforms to this JSON Schema, with nothing before and nothing after it:',
    '',
    JSON.stringify(schema, undefined, 2),
  ].join('\n');
}

function element({ name, description = '', optional, repeated, fields }: XmlField, margin: string): string[] {
  const remarks = [optional === true ? 'optional' : '', repeated === true ? 'repeat for each item' : ''].filter(
    Boolean,
  );
  const remark = remarks.length === 0 ? '' : ` <!-- ${remarks.join(', ')} -->`;
  if (fields === undefined) return [`${margin}<${name}>${description}</${name}>${remark}`];
  const inside = fields.flatMap((field) => element(field, `${margin}  `));
  return [`${margin}<${name}>${remark}`, ...inside, `${margin}</${name}>`];
}

/** Returns the stop sequences for the model call. With them, no text can follow the final message. */
export function stopSequences({ xml }: OutputFormat): readonly string[] {
  return xml === undefined ? [] : [end];
}

/** Appends the stop sequence that the provider removed from the end of a reply. */
export function restoreStopSequence(format: OutputFormat, text: string): string {
  const [dropped = ''] = stopSequences(format);
  return `${text}${dropped}`;
}
