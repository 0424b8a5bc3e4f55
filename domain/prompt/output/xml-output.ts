import { SaxesParser } from 'saxes';
import type { Json } from '../../kernel';
import { responseElement, type XmlField, type XmlFormat } from './output-format';
import { formatTag, maxOutputDepth, outputViolation, type OutputViolation, quoteSnippet } from './violation';

const opening = `<${responseElement}>`;
const closing = `</${responseElement}>`;
const remedy = `Send exactly one \`${opening}\` element: nothing before it, no code fence, nothing after \`${closing}\`.`;

/**
 * Checks that a final message is exactly one `<response>` element that contains the format's root element, which contains
 * the fields in any order. Returns the value of the root: an object of its fields, in which a repeated field is always a
 * list, or its text if it has no fields. Throws an `OutputViolation`.
 */
export function checkXml({ root, fields }: XmlFormat, text: string): { value: Json; text: string } {
  const said = text.trim();
  if (said.startsWith('```')) throw outputViolation('the message', 'it is inside a code fence', remedy);
  if (!said.startsWith(opening)) throw outputViolation('the message', `it begins with ${quoteSnippet(said)}`, remedy);
  if (!said.endsWith(closing))
    throw outputViolation('the message', `it ends with ${quoteSnippet(said.slice(-50))}`, remedy);
  const inside = said.slice(opening.length, -closing.length).trim();
  if (fields === undefined) return literalText(root, inside);
  const values = contentOf(readXml(said), [{ name: root, fields }], responseElement) as Readonly<Record<string, Json>>;
  return { value: values[root] ?? null, text: inside };
}

/** Returns the text of a root without fields. It is not parsed, because answers often contain `<` and `&`. */
function literalText(root: string, inside: string): { value: string; text: string } {
  const [open, close] = [`<${root}>`, `</${root}>`];
  if (!inside.startsWith(open) || !inside.endsWith(close) || inside.length < open.length + close.length) {
    const said = inside.startsWith(open)
      ? `ends with ${quoteSnippet(inside.slice(-50))}`
      : `begins with ${quoteSnippet(inside)}`;
    throw outputViolation(responseElement, `its content ${said}`, `Put the whole answer into one \`${open}\` element.`);
  }
  const text = inside.slice(open.length, -close.length).trim();
  if (text === '') throw outputViolation(`${responseElement}/${root}`, 'it is empty', 'Write your answer into it.');
  return { value: text, text };
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

/** An XML element with its direct children and its text. */
interface XmlElement {
  readonly name: string;
  readonly children: readonly XmlElement[];
  /** All text directly inside the element, concatenated, with entities resolved. */
  readonly text: string;
}

interface OpenElement extends XmlElement {
  readonly children: OpenElement[];
  text: string;
}

const escaping = 'Write `&lt;` and `&amp;` for `<` and `&` in text.';
const bareAmpersand = /&(?!(?:lt|gt|amp|quot|apos|#\d{1,7}|#x[\da-fA-F]{1,6});).{0,20}/;

/**
 * Parses a text that consists of one element. Rejects everything that a plain answer does not need: attributes, comments,
 * processing instructions and document types, and therefore every entity except the five that XML predefines.
 */
function readXml(text: string): XmlElement {
  const above: OpenElement = { name: '', children: [], text: '' };
  const open = [above];
  const parser = new SaxesParser({ forceXMLVersion: true, defaultXMLVersion: '1.0' });
  const refuse = (what: string, remedy: string): never => {
    throw outputViolation(`line ${parser.line}`, what, remedy);
  };
  const addText = (chunk: string): void => {
    const inner = open.at(-1);
    if (inner !== undefined) inner.text += chunk;
  };
  parser.on('error', (error) => {
    throw malformed(error.message, text);
  });
  parser.on('doctype', () => refuse('a document type is not allowed', 'Remove it.'));
  parser.on('processinginstruction', () => refuse('a processing instruction is not allowed', 'Remove it.'));
  parser.on('comment', () => refuse('a comment is not allowed', 'Remove it.'));
  parser.on('attribute', ({ name }) => refuse(`the attribute ${quoteSnippet(name)} is not allowed`, 'Remove it.'));
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('opentag', ({ name }) => {
    if (open.length > maxOutputDepth)
      refuse(`${formatTag(name)} is more than ${maxOutputDepth} levels deep`, 'Use fewer levels.');
    const element: OpenElement = { name, children: [], text: '' };
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  parser.on('closetag', () => open.pop());
  parser.write(text).close();
  return above.children[0] ?? above;
}

/** Names a bare ampersand as the likely cause, because the parser reports the error at a later place. */
function malformed(complaint: string, text: string): OutputViolation {
  const bare = bareAmpersand.exec(text)?.[0];
  const hint = bare === undefined ? '' : ` (${quoteSnippet(bare)} is not an entity)`;
  const [, line = '?', reason = complaint] = /^(\d+):\d+: (.*)$/s.exec(complaint) ?? [];
  return outputViolation(`line ${line}`, `it is not well-formed XML: ${reason.replace(/\.$/, '')}${hint}`, escaping);
}
