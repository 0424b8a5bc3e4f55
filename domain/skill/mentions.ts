import { parsePath } from '../workspace/path';

export interface Mention {
  readonly path: string;
  /** Whether it is surely meant as a file: then it is worth saying that it is not there. */
  readonly looksLikePath: boolean;
}

/** Names in quotation marks may hold spaces and brackets; anything else ends at them. */
const quoted = /`([^`\n]{1,400})`|"([^"\n]{1,400})"|\]\(([^)\n]{1,400})\)/g;
const bare = /[^\s`"'<>()[\]{},;|*]{1,400}/g;
const extension = /\.[A-Za-z][A-Za-z0-9]{0,9}$/;

/** What may be a file's path in a text, in the order of first mention. Whether there is such a file is for the caller to see. */
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

/** As it stands there, without the punctuation around it, and without a line number after it. */
function spellings(name: string): string[] {
  const trimmed = name.trim();
  const bareName = trimmed.replace(/^[^\p{L}\p{N}._@~+/-]+/u, '').replace(/[.:!?…,;)\]}]+$/u, '');
  const withoutLine = bareName.replace(/(?::\d+(?:[-:]\d+)?|#L\d+(?:-L?\d+)?)$/, '');
  // The shortest first: a trailing colon or line number is rarely part of a name, and only one of them will exist.
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
