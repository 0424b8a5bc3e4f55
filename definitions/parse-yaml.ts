import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  visit,
  type YAMLError,
} from 'yaml';
import { type FieldProblem, isWellFormedUnicode } from '../domain/kernel';

/** A position in a file; both numbers are 1-based. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** An error and its position. */
export interface PlacedError extends Position {
  readonly message: string;
}

/** A parsed document that knows the position of each field. */
export interface ParsedYaml {
  readonly value: unknown;
  readonly errors: readonly PlacedError[];
  /** Returns the position of a field, or, if it is missing, of the closest field above it. */
  locate(path: readonly PropertyKey[]): Position;
}

/**
 * Parses YAML (and therefore JSON) with the positions of all fields. `firstLine` is the line of the file on which the
 * text starts. Never throws, and takes time linear in the size of the text.
 */
export function parseYaml(text: string, firstLine = 1): ParsedYaml {
  const lines = new LineCounter();
  const at = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1) + firstLine - 1, column: Math.max(col, 1) };
  };
  const start = { line: firstLine, column: 1 };
  try {
    // The parser's own search for duplicate keys compares each key with every other one.
    const document = parseDocument(text, {
      lineCounter: lines,
      prettyErrors: false,
      stringKeys: true,
      uniqueKeys: false,
    });
    const locate = (path: readonly PropertyKey[]): Position => at(offsetOf(document, path));
    const errors = [
      ...document.errors.map((error) => ({ ...at(error.pos[0]), message: plainMessage(error) })),
      ...duplicateKeys(document).map((offset) => ({ ...at(offset), message: 'this key occurs twice' })),
    ];
    if (errors.length > 0) return { value: undefined, errors, locate };
    const value: unknown = document.toJS();
    const problem = valueProblem(value);
    return problem === undefined
      ? { value, errors, locate }
      : { value: undefined, errors: [{ ...locate(problem.path), message: problem.message }], locate };
  } catch (error) {
    return { value: undefined, errors: [{ ...start, message: thrownMessage(error) }], locate: () => start };
  }
}

const tooDeep = 'is nested too deeply';

/** Replaces messages of the parser that are meant for programmers. */
function plainMessage({ code, message }: YAMLError): string {
  if (code === 'MULTIPLE_DOCS')
    return 'the file contains several YAML documents, separated by ---; only one is allowed';
  if (code === 'NON_STRING_KEY') return 'a key must be a text';
  if (code === 'RESOURCE_EXHAUSTION') return tooDeep;
  return message;
}

/** Explains what parsing throws: nesting that exhausts the stack, or aliases that expand to an excessive size. */
function thrownMessage(error: unknown): string {
  if (error instanceof RangeError) return tooDeep;
  const message = error instanceof Error ? error.message : String(error);
  return message.startsWith('Excessive alias count') ? 'its aliases (*name) expand to too much text' : message;
}

/** Returns the offsets of keys that their mapping has had before. */
function duplicateKeys(document: Document): number[] {
  const offsets: number[] = [];
  visit(document, {
    Map(_, { items }) {
      const seen = new Set<string>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        const name = String(key.value);
        if (seen.has(name)) offsets.push(startOf(key));
        seen.add(name);
      }
    },
  });
  return offsets;
}

function offsetOf(document: Document, path: readonly PropertyKey[]): number {
  let node: unknown = document.contents;
  let offset = isNode(node) ? startOf(node) : 0;
  for (const key of path) {
    if (isAlias(node)) node = node.resolve(document);
    if (isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(key));
      if (pair === undefined) return offset;
      if (isNode(pair.key)) offset = startOf(pair.key);
      node = pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(key)];
      if (!isNode(node)) return offset;
      offset = startOf(node);
    } else {
      return offset;
    }
  }
  return offset;
}

function startOf(node: Node): number {
  return node.range?.[0] ?? 0;
}

const maxDepth = 100;

/**
 * Finds what no schema can handle in a parsed file: a value that contains itself (YAML has aliases), nesting that would
 * exhaust the stack, and half of a character. Returns undefined if there is none.
 */
function valueProblem(value: unknown): FieldProblem | undefined {
  return new Search().find(value, []);
}

class Search {
  private readonly above = new Set<object>();
  private readonly done = new Set<object>();

  find(value: unknown, path: readonly PropertyKey[]): FieldProblem | undefined {
    if (typeof value === 'string') return textProblem(value, path);
    if (typeof value !== 'object' || value === null || this.done.has(value)) return undefined;
    if (this.above.has(value)) return { path, message: 'contains itself through an alias (*name)' };
    if (path.length >= maxDepth) return { path, message: `is nested more than ${maxDepth} levels deep` };
    this.above.add(value);
    for (const [key, item] of Object.entries(value)) {
      const problem = textProblem(key, path) ?? this.find(item, [...path, key]);
      if (problem !== undefined) return problem;
    }
    this.above.delete(value);
    // Aliases may refer to the same object many times.
    this.done.add(value);
    return undefined;
  }
}

function textProblem(text: string, path: readonly PropertyKey[]): FieldProblem | undefined {
  return isWellFormedUnicode(text)
    ? undefined
    : { path, message: 'contains half of a character (an unpaired surrogate), which UTF-8 cannot represent' };
}
