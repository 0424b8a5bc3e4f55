import type { Json } from '../../kernel/json-value';
import { responseElement, type OutputFormat, type XmlField } from './output-format';
import { readXml, type XmlElement } from './read-xml';
import { quoted, tag, violation, type OutputViolation } from './violation';

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
  if (said.startsWith('```')) throw violation('the message', 'it is inside a code fence', remedy);
  if (!said.startsWith(opening)) throw violation('the message', `it begins with ${quoted(said)}`, remedy);
  if (!said.endsWith(closing)) throw violation('the message', `it ends with ${quoted(said.slice(-50))}`, remedy);
  const response = readXml(said);
  const values = contentOf(response, [{ name: root, fields }], responseElement) as Readonly<Record<string, Json>>;
  return { value: values[root] ?? null, text: said.slice(opening.length, -closing.length).trim() };
}

function contentOf(element: XmlElement, fields: readonly XmlField[] | undefined, place: string): Json {
  if (fields === undefined) return textOf(element, place);
  const allowed = fields.map(({ name }) => tag(name)).join(', ');
  if (element.text.trim() !== '') {
    throw violation(place, `text outside its elements: ${quoted(element.text)}`, `Put it into one of ${allowed}.`);
  }
  const unknown = element.children.find((child) => fields.every(({ name }) => name !== child.name));
  if (unknown !== undefined) throw violation(place, `unknown element ${tag(unknown.name)}`, `Use only ${allowed}.`);
  return Object.fromEntries(fields.flatMap((field) => valuesOf(element, field, place)));
}

/** Returns the content of a text element. A child element in it means that the model did not escape a `<`. */
function textOf({ children, text }: XmlElement, place: string): string {
  const inner = children[0];
  if (inner === undefined) return text;
  throw violation(
    place,
    `it may contain only text, but contains the element ${tag(inner.name)}`,
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
  if (found.length > 1) throw violation(place, `${tag(name)} occurs ${found.length} times`, 'Send it only once.');
  return first === undefined ? [] : [[name, contentOf(first, fields, `${place}/${name}`)]];
}

function missing(name: string, place: string): OutputViolation {
  return violation(place, `${tag(name)} is missing`, 'Add it.');
}
