import { SaxesParser } from 'saxes';
import { maxOutputDepth } from './limits';
import { quoteSnippet, formatTag, outputViolation, type OutputViolation } from './violation';

/** An XML element with its direct children and its text. */
export interface XmlElement {
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
export function readXml(text: string): XmlElement {
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
