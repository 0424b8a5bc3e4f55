import { structuredPatch, type StructuredPatchHunk } from 'diff';

/** Time limit of the comparison. Texts that take longer have little in common, and the search could take minutes. */
const maxDiffMs = 2_000;

/** Returns the hunks of a unified patch. Every line ends with a line break. */
export function hunksBetween(before: string, after: string): string {
  if (before === after) return '';
  const patch = structuredPatch('', '', before, after, undefined, undefined, { context: 3, timeout: maxDiffMs });
  const hunks = patch === undefined ? [replacement(before, after)] : patch.hunks;
  return hunks.map(render).join('');
}

function render({ oldStart, oldLines, newStart, newLines, lines }: StructuredPatchHunk): string {
  return `@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@\n${lines.map((line) => `${line}\n`).join('')}`;
}

function range(start: number, count: number): string {
  // The format names the line before an empty range.
  if (count === 0) return `${Math.max(0, start - 1)},0`;
  return count === 1 ? String(start) : `${start},${count}`;
}

/** Returns one hunk that removes every old line and adds every new one. */
function replacement(before: string, after: string): StructuredPatchHunk {
  const [old, now] = [signed(before, '-'), signed(after, '+')];
  const count = (lines: string[]): number => lines.filter((line) => !line.startsWith('\\')).length;
  return { oldStart: 1, oldLines: count(old), newStart: 1, newLines: count(now), lines: [...old, ...now] };
}

function signed(text: string, sign: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  const last = lines.pop();
  const whole = lines.map((line) => `${sign}${line}`);
  return last === undefined || last === '' ? whole : [...whole, `${sign}${last}`, '\\ No newline at end of file'];
}
