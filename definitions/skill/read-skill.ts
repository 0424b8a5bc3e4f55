import {
  type Diagnostic,
  type Frontmatter,
  importMarkdown,
  type LoadedSkill,
  parseSkill,
  type SkillDefinition,
  type SkillFolder,
  type SkillFormat,
  skillHash,
} from '../../domain/skill';
import type { FieldProblem } from '../../domain/kernel';
import { findFacts } from '../../domain/model';
import { isBuiltInTool, isDispatchTool, requestToolName } from '../../domain/tool';
import { atFields, finding, readDefinition } from '../diagnostics';
import { type ParsedYaml, parseYaml, type PlacedError, type Position } from '../parse-yaml';

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
  const notices = atFields(source.file, 'notice', unmapped, locate);
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
    return failed([...atFields(source.file, 'error', parsed.problems, locate), ...notices]);
  }
  const { skill } = parsed;
  const named = [
    ...skill.tools.map((tool, index) => ({ tool, path: ['tools', index] })),
    ...Object.keys(skill.delegation?.tools ?? {}).map((tool) => ({ tool, path: ['delegation', 'tools', tool] })),
  ];
  const foreign = named.flatMap(({ tool, path }) =>
    isBuiltInTool(tool) || isDispatchTool(tool) || tool === requestToolName
      ? []
      : [{ path, message: `"${tool}" is not built in: a worker must provide it` }],
  );
  return {
    skills: [{ skill, hash: skillHash(skill), file: source.file, format: source.format, from: source.from }],
    findings: [...notices, ...atFields(source.file, 'notice', [...foreign, ...unknownModels(skill)], locate)],
  };
}

/** Models without a context window here: whether a run can use them is checked when it starts. */
function unknownModels({ model: { name, window, fallback = [] } }: SkillDefinition): FieldProblem[] {
  const named = [
    ...(name === undefined || window !== undefined ? [] : [{ model: name, path: ['model', 'name'] }]),
    ...fallback.map((other, index) => ({ model: other, path: ['model', 'fallback', index] })),
  ];
  return named.flatMap(({ model, path }) =>
    findFacts(model) === undefined
      ? [{ path, message: `"${model}" is not built in: the models file of the worker must describe it` }]
      : [],
  );
}

function failed(findings: readonly Diagnostic[]): SkillFolder {
  return { skills: [], findings };
}

/** A markdown file, split into frontmatter and body. */
interface MarkdownFile {
  readonly front: Frontmatter;
  readonly body: string;
  readonly locate: ParsedYaml['locate'];
  /** The YAML error, if the frontmatter is not valid YAML and was read line by line, as the programs that use it do. */
  readonly lenient?: PlacedError;
}

/** A markdown file, or the reason why it cannot be used. */
type ReadMarkdown = MarkdownFile | { readonly error: PlacedError };

/** Splits a markdown file into its frontmatter and its body. */
function parseMarkdown(text: string): ReadMarkdown {
  const match = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)(?:^|\r?\n)---[ \t]*(?:\r?\n|$)/m.exec(text);
  if (match?.index !== 0) {
    return {
      error: {
        line: 1,
        column: 1,
        message: 'has no frontmatter: it must start with a line ---, followed by name and description',
      },
    };
  }
  const source = match[1] ?? '';
  const yaml = parseYaml(source, 2);
  const body = text.slice(match[0].length);
  const first = yaml.errors[0];
  if (first === undefined) {
    const { value } = yaml;
    if (value !== null && value !== undefined && (typeof value !== 'object' || Array.isArray(value))) {
      return { error: { ...yaml.locate([]), message: 'the frontmatter must be a YAML mapping' } };
    }
    return { front: (value ?? {}) as Frontmatter, body, locate: yaml.locate };
  }
  const { front, lines } = readByLine(source);
  const locate = (path: readonly PropertyKey[]): Position => ({ line: lines.get(String(path[0])) ?? 2, column: 1 });
  return { front, body, locate, lenient: first };
}

/**
 * Reads one `key: value` per line. Many existing agent files have unquoted colons in their description, which YAML
 * rejects.
 */
function readByLine(source: string): { front: Frontmatter; lines: Map<string, number> } {
  const front: Record<string, unknown> = {};
  const lines = new Map<string, number>();
  source.split(/\r?\n/).forEach((line, index) => {
    const [, key, value = ''] = /^([A-Za-z][\w-]*):[ \t]*(.*)$/.exec(line) ?? [];
    if (key === undefined || lines.has(key)) return;
    front[key] = value.trim();
    lines.set(key, index + 2);
  });
  return { front, lines };
}
