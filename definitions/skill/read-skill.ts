import {
  importMarkdown,
  builtInToolNames,
  parseSkill,
  skillHash,
  type LoadedSkill,
  type Diagnostic,
  type SkillFolder,
  type SkillFormat,
} from '../../domain/skill';
import { parseMarkdown } from './frontmatter';
import { atField, finding, readDefinition } from '../diagnostics';
import type { ParsedYaml } from '../parse-yaml';

/** The text of a skill file and its origin. */
export interface SkillText {
  readonly text: string;
  /** The file's path as shown in diagnostics. */
  readonly file: string;
  readonly format: SkillFormat;
  readonly from: LoadedSkill['from'];
}

/** Parses a skill file. Returns the skill or errors, and in both cases notices. */
export function readSkill(source: SkillText): SkillFolder {
  return source.format === 'baton' ? readOwn(source) : readImported(source);
}

function readOwn(source: SkillText): SkillFolder {
  const read = readDefinition(source.text, source.file);
  return 'errors' in read ? failed(read.errors) : checked(source, read.value, read.locate, []);
}

function readImported(source: SkillText): SkillFolder {
  const markdown = parseMarkdown(source.text);
  if ('error' in markdown) {
    const { message, ...at } = markdown.error;
    return failed([finding(source.file, 'error', at, '', message)]);
  }
  const { front, body, locate, lenient } = markdown;
  const { value, unmapped } = importMarkdown(front, body, source.format === 'skill-folder' ? 'allowed-tools' : 'tools');
  const notices = unmapped.map((problem) => atField(source.file, 'notice', problem, locate));
  if (lenient !== undefined) {
    const { message, ...at } = lenient;
    notices.push(
      finding(
        source.file,
        'notice',
        at,
        '',
        `the frontmatter is not valid YAML (${message}); it was read line by line`,
      ),
    );
  }
  return checked(source, value, locate, notices);
}

function checked(
  source: SkillText,
  value: unknown,
  locate: ParsedYaml['locate'],
  notices: readonly Diagnostic[],
): SkillFolder {
  const parsed = parseSkill(value);
  if (!parsed.ok) {
    return failed([...parsed.problems.map((problem) => atField(source.file, 'error', problem, locate)), ...notices]);
  }
  const { skill } = parsed;
  const foreign = skill.tools.flatMap((tool, index) =>
    builtInToolNames.includes(tool)
      ? []
      : [{ path: ['tools', index], message: `"${tool}" is not built in: a worker must provide it` }],
  );
  return {
    skills: [{ skill, hash: skillHash(skill), file: source.file, format: source.format, from: source.from }],
    findings: [...notices, ...foreign.map((problem) => atField(source.file, 'notice', problem, locate))],
  };
}

function failed(findings: readonly Diagnostic[]): SkillFolder {
  return { skills: [], findings };
}
