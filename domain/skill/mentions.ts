import { parsePath } from '../workspace/path';

/** A path that a text mentions. */
export interface Mention {
  readonly path: string;
  /** Whether the text clearly means a file. Then it is reported if the file does not exist. */
  readonly looksLikePath: boolean;
}

/** Quoted names may contain spaces and brackets; unquoted names end there. */
const quoted = /`([^`\n]{1,400})`|"([^"\n]{1,400})"|\]\(([^)\n]{1,400})\)/g;
const bare = /[^\s`"'<>()[\]{},;|*]{1,400}/g;
const extension = /\.[A-Za-z][A-Za-z0-9]{0,9}$/;

/** Returns everything in a text that may be a file path, in order of first mention. Does not check that files exist. */
export function mentionedPaths(text: string): Mention[] {
  const found = [
    ...[...text.matchAll(quoted)].map((match) => ({ at: match.index, name: match[1] ?? match[2] ?? match[3] ?? '' })),
    ...[...text.matchAll(bare)].map((match) => ({ at: match.index, name: match[0] })),
  ].sort((a, b) => a.at - b.at);
  const paths = new Map<string, Mention>();
  for (const { name } of found) {
    for (const candidate of spellings(name)) {
      const path = plain(candidate);
      if (path !== undefined && !paths.has(path)) paths.set(path, { path, looksLikePath: looksLikePath(path) });
    }
  }
  return [...paths.values()];
}

/** Returns the name as written, without surrounding punctuation, and without a trailing line number. */
function spellings(name: string): string[] {
  const trimmed = name.trim();
  const bareName = trimmed.replace(/^[^\p{L}\p{N}._@~+/-]+/u, '').replace(/[.:!?…,;)\]}]+$/u, '');
  const withoutLine = bareName.replace(/(?::\d+(?:[-:]\d+)?|#L\d+(?:-L?\d+)?)$/, '');
  // Shortest first: a trailing colon or line number is rarely part of a name, and only one spelling will exist.
  return [...new Set([withoutLine, bareName, trimmed])];
}

function plain(candidate: string): string | undefined {
  try {
    return parsePath(candidate);
  } catch {
    return undefined;
  }
}

function looksLikePath(path: string): boolean {
  return (
    /^[\w@.+~-]+(?:\/[\w@.+~-]+)+$/.test(path) &&
    extension.test(path) &&
    !/^(?:www\.|[\w-]+\.(?:com|org|net|io|dev)\/)/i.test(path)
  );
}
