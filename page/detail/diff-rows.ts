import type { FilesView } from '../protocol';

type Hunk = NonNullable<FilesView['files'][number]['hunks']>[number];

/** A line of a diff, with its numbers. */
export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed';
  readonly old: number | null;
  readonly now: number | null;
  readonly text: string;
}

/** Numbers the lines of a hunk. A line that says that the file has no line break at its end has no number. */
export function diffLines({ oldStart, newStart, lines }: Hunk): readonly DiffLine[] {
  let [old, now] = [oldStart, newStart];
  return lines.map((line): DiffLine => {
    const text = line.slice(1);
    if (line.startsWith('+')) return { kind: 'added', old: null, now: now++, text };
    if (line.startsWith('-')) return { kind: 'removed', old: old++, now: null, text };
    if (line.startsWith('\\')) return { kind: 'same', old: null, now: null, text: line };
    return { kind: 'same', old: old++, now: now++, text };
  });
}

/** A row of two columns: what was and what is. */
export interface DiffPair {
  readonly left: DiffLine | null;
  readonly right: DiffLine | null;
}

/** Puts removed lines beside those that were added in their place. */
export function diffPairs(hunk: Hunk): readonly DiffPair[] {
  const pairs: DiffPair[] = [];
  let removed: DiffLine[] = [];
  let added: DiffLine[] = [];
  const flush = (): void => {
    const count = Math.max(removed.length, added.length);
    for (let index = 0; index < count; index++)
      pairs.push({ left: removed[index] ?? null, right: added[index] ?? null });
    removed = [];
    added = [];
  };
  for (const line of diffLines(hunk)) {
    if (line.kind === 'removed') {
      if (added.length > 0) flush();
      removed.push(line);
    } else if (line.kind === 'added') added.push(line);
    else {
      flush();
      pairs.push({ left: line, right: line });
    }
  }
  flush();
  return pairs;
}
