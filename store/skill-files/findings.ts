import { fieldOf, type FieldProblem, type SkillFinding } from '../../domain/skill';
import { parseYaml, type ParsedYaml, type Position } from './parse-yaml';

type Level = SkillFinding['level'];

export function finding(
  file: string,
  level: Level,
  { line, column }: Position,
  field: string,
  message: string,
): SkillFinding {
  return { level, file, line, column, field, message };
}

/** About a file as a whole. */
export function aboutFile(file: string, level: Level, message: string): SkillFinding {
  return finding(file, level, { line: 1, column: 1 }, '', message);
}

export function atField(
  file: string,
  level: Level,
  { path, message }: FieldProblem,
  locate: ParsedYaml['locate'],
): SkillFinding {
  return finding(file, level, locate(path), fieldOf(path), message);
}

export type ReadDefinition = Pick<ParsedYaml, 'value' | 'locate'> | { readonly errors: readonly SkillFinding[] };

/** A definition in YAML, or in JSON when the file says so; not checked yet. */
export function readDefinition(text: string, file: string): ReadDefinition {
  const yaml = parseYaml(text);
  const strict = file.endsWith('.json') ? jsonError(text) : undefined;
  const errors = yaml.errors.length > 0 ? yaml.errors : strict === undefined ? [] : [strict];
  if (errors.length === 0) return { value: yaml.value, locate: yaml.locate };
  return { errors: errors.map(({ message, ...at }) => finding(file, 'error', at, '', message)) };
}

/** YAML allows more than JSON does; a file that calls itself JSON is held to it. */
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
