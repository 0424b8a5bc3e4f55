import { type Document, isAlias, isMap, isNode, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import { type FieldProblem, formatFieldPath } from '../domain/kernel';
import type { Diagnostic } from '../domain/skill';

type Level = Diagnostic['level'];

/** Creates a diagnostic at a position of a file. */
export function finding(
  file: string,
  level: Level,
  { line, column }: Position,
  field: string,
  message: string,
): Diagnostic {
  return { level, file, line, column, field, message };
}

/** Creates a diagnostic for a file as a whole. */
export function aboutFile(file: string, level: Level, message: string): Diagnostic {
  return finding(file, level, { line: 1, column: 1 }, '', message);
}

/** Creates a diagnostic at the position of a field. */
export function atField(
  file: string,
  level: Level,
  { path, message }: FieldProblem,
  locate: ParsedYaml['locate'],
): Diagnostic {
  return finding(file, level, locate(path), formatFieldPath(path), message);
}

/** A parsed definition file that is not validated yet, or its syntax errors. */
export type ReadDefinition = Pick<ParsedYaml, 'value' | 'locate'> | { readonly errors: readonly Diagnostic[] };

/** Parses a definition file: JSON when its name ends in `.json`, otherwise YAML. */
export function readDefinition(text: string, file: string): ReadDefinition {
  const yaml = parseYaml(text);
  const strict = file.endsWith('.json') ? jsonError(text) : undefined;
  const errors = yaml.errors.length > 0 ? yaml.errors : strict === undefined ? [] : [strict];
  if (errors.length === 0) return { value: yaml.value, locate: yaml.locate };
  return { errors: errors.map(({ message, ...at }) => finding(file, 'error', at, '', message)) };
}

/** YAML accepts more than JSON, so a JSON file is also checked with the JSON parser. */
function jsonError(text: string): (Position & { message: string }) | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const offset = Number(/position (\d+)/.exec(message)?.[1] ?? 0);
    const before = text.slice(0, offset).split('\n');
    return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1, message };
  }
}

/** A position in a file; both numbers are 1-based. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A parsed document that knows the position of each field. */
export interface ParsedYaml {
  readonly value: unknown;
  readonly errors: readonly (Position & { readonly message: string })[];
  /** Returns the position of a field, or, if it is missing, of the closest field above it. */
  locate(path: readonly PropertyKey[]): Position;
}

/**
 * Parses YAML (and therefore JSON) with the positions of all fields. `firstLine` is the line of the file on which the
 * text starts.
 */
export function parseYaml(text: string, firstLine = 1): ParsedYaml {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true });
  const at = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1) + firstLine - 1, column: Math.max(col, 1) };
  };
  const errors = document.errors.map(({ pos, message }) => ({ ...at(pos[0]), message }));
  const locate = (path: readonly PropertyKey[]): Position => at(offsetOf(document, path));
  if (errors.length > 0) return { value: undefined, errors, locate };
  try {
    return { value: document.toJS(), errors, locate };
  } catch (error) {
    // Resolving throws when aliases expand to an excessive size.
    return {
      value: undefined,
      errors: [{ ...at(0), message: error instanceof Error ? error.message : String(error) }],
      locate,
    };
  }
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
