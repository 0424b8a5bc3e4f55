import {
  fieldOf,
  importMarkdown,
  ownToolNames,
  parseSkill,
  skillHash,
  type FieldProblem,
  type LoadedSkill,
  type SkillFinding,
  type SkillFolder,
  type SkillFormat,
} from '../../domain/skill';
import { parseMarkdown } from './frontmatter';
import { parseYaml, type ParsedYaml, type Position } from './parse-yaml';

export interface SkillText {
  readonly text: string;
  /** As findings name it. */
  readonly file: string;
  readonly format: SkillFormat;
  readonly from: LoadedSkill['from'];
}

/** Reads one file: a skill, or errors; and in both cases whatever is worth knowing about it. */
export function readSkill(source: SkillText): SkillFolder {
  return source.format === 'baton' ? readOwn(source) : readImported(source);
}

function readOwn(source: SkillText): SkillFolder {
  const yaml = parseYaml(source.text);
  const strict = source.file.endsWith('.json') ? jsonError(source.text) : undefined;
  const errors = yaml.errors.length > 0 ? yaml.errors : strict === undefined ? [] : [strict];
  if (errors.length > 0) return failed(errors.map(({ message, ...at }) => finding(source, 'error', at, '', message)));
  return checked(source, yaml.value, yaml.locate, []);
}

function readImported(source: SkillText): SkillFolder {
  const markdown = parseMarkdown(source.text);
  if ('error' in markdown) {
    const { message, ...at } = markdown.error;
    return failed([finding(source, 'error', at, '', message)]);
  }
  const { front, body, locate, lenient } = markdown;
  const { value, unmapped } = importMarkdown(front, body, source.format === 'skill-folder' ? 'allowed-tools' : 'tools');
  const notices = unmapped.map((problem) => atField(source, 'notice', problem, locate));
  if (lenient !== undefined) {
    const { message, ...at } = lenient;
    notices.push(finding(source, 'notice', at, '', `the frontmatter is no YAML (${message}); read line by line`));
  }
  return checked(source, value, locate, notices);
}

function checked(
  source: SkillText,
  value: unknown,
  locate: ParsedYaml['locate'],
  notices: readonly SkillFinding[],
): SkillFolder {
  const parsed = parseSkill(value);
  if (!parsed.ok) {
    return failed([...parsed.problems.map((problem) => atField(source, 'error', problem, locate)), ...notices]);
  }
  const { skill } = parsed;
  const foreign = skill.tools.flatMap((tool, index) =>
    ownToolNames.includes(tool)
      ? []
      : [{ path: ['tools', index], message: `"${tool}" is not built in: a worker must bring it` }],
  );
  return {
    skills: [{ skill, hash: skillHash(skill), file: source.file, format: source.format, from: source.from }],
    findings: [...notices, ...foreign.map((problem) => atField(source, 'notice', problem, locate))],
  };
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

function atField(
  source: SkillText,
  level: SkillFinding['level'],
  { path, message }: FieldProblem,
  locate: ParsedYaml['locate'],
): SkillFinding {
  return finding(source, level, locate(path), fieldOf(path), message);
}

function finding(
  { file }: SkillText,
  level: SkillFinding['level'],
  { line, column }: Position,
  field: string,
  message: string,
): SkillFinding {
  return { level, file, line, column, field, message };
}

function failed(findings: readonly SkillFinding[]): SkillFolder {
  return { skills: [], findings };
}
