import { formatFieldPath, type FieldProblem, type Diagnostic } from '../domain/skill';
import { parseYaml, type ParsedYaml, type Position } from './parse-yaml';

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
