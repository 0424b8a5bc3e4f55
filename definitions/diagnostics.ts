import { type FieldProblem, formatFieldPath, truncateText } from '../domain/kernel';
import type { Diagnostic } from '../domain/skill';
import { type ParsedYaml, parseYaml, type PlacedError, type Position } from './parse-yaml';
import { systemProblem } from './read-text';

type Level = Diagnostic['level'];

/** Maximum diagnostics of one kind for a file. A file with thousands of unknown fields is not worth more. */
const maxShown = 20;
const maxMessage = 500;

/** Creates a diagnostic at a position of a file. */
export function finding(
  file: string,
  level: Level,
  { line, column }: Position,
  field: string,
  message: string,
): Diagnostic {
  return {
    level,
    file,
    line,
    column,
    field: truncateText(field, maxMessage),
    message: truncateText(message, maxMessage),
  };
}

/** Creates a diagnostic for a file as a whole. */
export function aboutFile(file: string, level: Level, message: string): Diagnostic {
  return finding(file, level, { line: 1, column: 1 }, '', message);
}

/** Creates diagnostics at the positions of fields. Only the first ones are shown, with the number of the others. */
export function atFields(
  file: string,
  level: Level,
  problems: readonly FieldProblem[],
  locate: ParsedYaml['locate'],
): Diagnostic[] {
  const shown = problems.slice(0, maxShown).map(({ path, message }) => {
    return finding(file, level, locate(path), formatFieldPath(path), message);
  });
  return [...shown, ...others(file, level, problems.length)];
}

/** Creates diagnostics of errors in a file's syntax. */
function atPositions(file: string, errors: readonly PlacedError[]): Diagnostic[] {
  const shown = errors.slice(0, maxShown).map(({ message, ...at }) => finding(file, 'error', at, '', message));
  return [...shown, ...others(file, 'error', errors.length)];
}

function others(file: string, level: Level, total: number): Diagnostic[] {
  return total <= maxShown ? [] : [aboutFile(file, level, `${total - maxShown} more like these are not shown`)];
}

/**
 * Reads one definition file or folder entry. Whatever goes wrong becomes a diagnostic of that file, because a bad file
 * must not keep the others from being used.
 */
export async function readSafely<Read>(
  file: string,
  read: () => Promise<Read>,
  failed: (findings: readonly Diagnostic[]) => Read,
): Promise<Read> {
  try {
    return await read();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return failed([aboutFile(file, 'error', systemProblem(error) ?? `cannot be used: ${reason}`)]);
  }
}

/** A parsed definition file that is not validated yet, or its syntax errors. */
export type ReadDefinition = Pick<ParsedYaml, 'value' | 'locate'> | { readonly errors: readonly Diagnostic[] };

/** Parses a definition file: JSON when its name ends in `.json`, otherwise YAML. */
export function readDefinition(text: string, file: string): ReadDefinition {
  const yaml = parseYaml(text);
  const strict = file.endsWith('.json') ? jsonError(text) : undefined;
  const errors = yaml.errors.length > 0 ? yaml.errors : strict === undefined ? [] : [strict];
  if (errors.length === 0) return { value: yaml.value, locate: yaml.locate };
  return { errors: atPositions(file, errors) };
}

/** YAML accepts more than JSON, so a JSON file is also checked with the JSON parser. */
function jsonError(text: string): PlacedError | undefined {
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
