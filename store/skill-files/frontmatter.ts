import type { Frontmatter } from '../../domain/skill';
import { parseYaml, type ParsedYaml, type Position } from './parse-yaml';

export interface MarkdownFile {
  readonly front: Frontmatter;
  readonly body: string;
  readonly locate: ParsedYaml['locate'];
  /** Set when the frontmatter was no YAML and was read line by line, as the programs that use it do. */
  readonly lenient?: Position & { readonly message: string };
}

export type ReadMarkdown = MarkdownFile | { readonly error: Position & { readonly message: string } };

/** Splits a markdown file into its frontmatter and its text. */
export function parseMarkdown(text: string): ReadMarkdown {
  const match = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)(?:^|\r?\n)---[ \t]*(?:\r?\n|$)/m.exec(text);
  if (match?.index !== 0) {
    return {
      error: {
        line: 1,
        column: 1,
        message: 'has no frontmatter: it must begin with a line ---, then name and description',
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
      return { error: { ...yaml.locate([]), message: 'the frontmatter must be fields with values' } };
    }
    return { front: (value ?? {}) as Frontmatter, body, locate: yaml.locate };
  }
  const { front, lines } = readByLine(source);
  const locate = (path: readonly PropertyKey[]): Position => ({ line: lines.get(String(path[0])) ?? 2, column: 1 });
  return { front, body, locate, lenient: first };
}

/** Many agents in use have colons in a description without quotation marks. */
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
