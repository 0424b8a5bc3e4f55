import { dirname } from 'node:path';
import { programFolders, sourcesIn, type Source } from './sources';

// ESLint limits the lines of a file and of a function. The limits here concern many files at once.
// The number of files may grow with what the program can do; raise its limit for that reason only.
const limits = { files: 1_150, filesSideBySide: 20, medianLines: { min: 60, max: 100 } };

const linesOf = ({ text }: Source): number => text.trimEnd().split('\n').length;

function medianLines(sources: readonly Source[]): number {
  const sorted = sources.map(linesOf).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** Returns a description of every limit that these sources exceed. */
function exceeded(sources: readonly Source[]): string[] {
  const folders = sources.map(({ path }) => dirname(path));
  const full = [...new Set(folders)]
    .map((folder) => ({ folder, count: folders.filter((each) => each === folder).length }))
    .filter(({ count }) => count > limits.filesSideBySide)
    .map(({ folder, count }) => `${folder}/: ${count} files side by side, at most ${limits.filesSideBySide}`);
  const { min, max } = limits.medianLines;
  const median = medianLines(sources);
  return [
    ...full,
    ...(sources.length > limits.files ? [`${sources.length} source files, at most ${limits.files}`] : []),
    ...(median < min || median > max ? [`median of ${median} lines per file, wanted ${min} to ${max}`] : []),
  ];
}

describe('size', () => {
  const files = (count: number, folder: string, lines: number): Source[] =>
    Array.from({ length: count }, (_, index) => ({
      path: `${folder}/file-${index}.ts`,
      text: '// line\n'.repeat(lines),
    }));

  test('of folders, of files and of the whole stays readable', () => {
    // Without testing/, an entry point of its own that the program does not need.
    const sources = sourcesIn(programFolders.filter((folder) => folder !== 'testing'));
    process.stderr.write(`${sources.length} source files, median ${medianLines(sources)} lines\n`);
    expect(exceeded(sources)).toEqual([]);
  });

  test('is reported when a folder has too many files', () => {
    expect(exceeded([...files(20, 'store', 80), ...files(20, 'store/file', 80)])).toEqual([]);
    expect(exceeded(files(21, 'store', 80))).toEqual(['store/: 21 files side by side, at most 20']);
  });

  test('is reported when there are too many files', () => {
    const many = Array.from({ length: 58 }, (_, index) => files(20, `domain/module-${index}`, 80)).flat();
    expect(exceeded(many.slice(0, limits.files))).toEqual([]);
    expect(exceeded(many.slice(0, 1151))).toEqual(['1151 source files, at most 1150']);
  });

  test('is reported when files are too small or too large', () => {
    expect(exceeded(files(5, 'store', 59))).toEqual(['median of 59 lines per file, wanted 60 to 100']);
    expect(exceeded(files(5, 'store', 101))).toEqual(['median of 101 lines per file, wanted 60 to 100']);
  });
});
