import type { Frontmatter } from '../../domain/skill';
import { parseYaml, type ParsedYaml, type Position } from '../parse-yaml';

/** A markdown file, split into frontmatter and body. */
export interface MarkdownFile {
  readonly front: Frontmatter;
  readonly body: string;
  readonly locate: ParsedYaml['locate'];
  /** The YAML error, if the frontmatter is not valid YAML and was read line by line, as the programs that use it do. */
  readonly lenient?: Position & { readonly message: string };
}

/** A markdown file, or the reason why it cannot be used. */
export type ReadMarkdown = MarkdownFile | { readonly error: Position & { readonly message: string } };

/** Splits a markdown file into its frontmatter and its body. */
export function parseMarkdown(text: string): ReadMarkdown {
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
