import type { Json } from '../../kernel/json-value';
import { responseElement, type OutputFormat, type XmlField } from './output-format';
import { readXml, type XmlElement } from './read-xml';
import { quoteSnippet, formatTag, outputViolation, type OutputViolation } from './violation';

const opening = `<${responseElement}>`;
const closing = `</${responseElement}>`;
const remedy = `Send exactly one \`${opening}\` element: nothing before it, no code fence, nothing after \`${closing}\`.`;

/**
 * Checks that a final message is exactly one `<response>` element that contains the skill's root element, which contains
 * the fields in any order. Returns the value of the root: an object of its fields, in which a repeated field is always a
 * list. Throws an `OutputViolation`.
 */
export function checkXml(
  { root, fields }: NonNullable<OutputFormat['xml']>,
  text: string,
): { value: Json; text: string } {
  const said = text.trim();
  if (said.startsWith('```')) throw outputViolation('the message', 'it is inside a code fence', remedy);
  if (!said.startsWith(opening)) throw outputViolation('the message', `it begins with ${quoteSnippet(said)}`, remedy);
  if (!said.endsWith(closing))
    throw outputViolation('the message', `it ends with ${quoteSnippet(said.slice(-50))}`, remedy);
  const response = readXml(said);
  const values = contentOf(response, [{ name: root, fields }], responseElement) as Readonly<Record<string, Json>>;
  return { value: values[root] ?? null, text: said.slice(opening.length, -closing.length).trim() };
}

function contentOf(element: XmlElement, fields: readonly XmlField[] | undefined, place: string): Json {
  if (fields === undefined) return textOf(element, place);
  const allowed = fields.map(({ name }) => formatTag(name)).join(', ');
  if (element.text.trim() !== '') {
    throw outputViolation(
      place,
      `text outside its elements: ${quoteSnippet(element.text)}`,
      `Put it into one of ${allowed}.`,
    );
  }
  const unknown = element.children.find((child) => fields.every(({ name }) => name !== child.name));
  if (unknown !== undefined)
    throw outputViolation(place, `unknown element ${formatTag(unknown.name)}`, `Use only ${allowed}.`);
  return Object.fromEntries(fields.flatMap((field) => valuesOf(element, field, place)));
}

/** Returns the content of a text element. A child element in it means that the model did not escape a `<`. */
function textOf({ children, text }: XmlElement, place: string): string {
  const inner = children[0];
  if (inner === undefined) return text;
  throw outputViolation(
    place,
    `it may contain only text, but contains the element ${formatTag(inner.name)}`,
    'Write `&lt;` for `<` in text.',
  );
}

/** Reads one field of an element. Returns no entry for an optional field that is omitted. */
function valuesOf(parent: XmlElement, field: XmlField, place: string): [string, Json][] {
  const { name, optional = false, repeated = false, fields } = field;
  const found = parent.children.filter((child) => child.name === name);
  const first = found[0];
  if (first === undefined && !optional) throw missing(name, place);
  if (repeated) {
    return [[name, found.map((child, index) => contentOf(child, fields, `${place}/${name}[${index + 1}]`))]];
  }
  if (found.length > 1)
    throw outputViolation(place, `${formatTag(name)} occurs ${found.length} times`, 'Send it only once.');
  return first === undefined ? [] : [[name, contentOf(first, fields, `${place}/${name}`)]];
}

function missing(name: string, place: string): OutputViolation {
  return outputViolation(place, `${formatTag(name)} is missing`, 'Add it.');
}
