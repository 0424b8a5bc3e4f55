import ts from 'typescript';
import { programFolders, sourcesIn, type Source } from './sources';

const wanted = { median: 90, file: 300, functionLines: 40 };

interface Measured {
  readonly name: string;
  readonly lines: number;
}

const isCode = (line: string): boolean => !/^\s*(\/\/.*|\/?\*.*)?$/.test(line);
const byLines = (all: readonly Measured[]): Measured[] => [...all].sort((a, b) => b.lines - a.lines);
const median = (all: readonly Measured[]): number => byLines(all)[Math.floor(all.length / 2)]?.lines ?? 0;

function functionsIn({ path, text }: Source): Measured[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true);
  const found: Measured[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined) {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart());
      found.push({ name: `${path}:${line + 1}`, lines: node.getText().split('\n').filter(isCode).length });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

describe('size', () => {
  const sources = sourcesIn(programFolders);
  const files = sources.map(({ path, text }) => ({ name: path, lines: text.trimEnd().split('\n').length }));
  const functions = sources.flatMap(functionsIn);

  test('of files and functions stays readable', () => {
    const [longest] = byLines(files);
    const [longestFunction] = byLines(functions);
    process.stderr.write(
      `${files.length} files: median ${median(files)} lines, longest ${longest?.lines} (${longest?.name}); ` +
        `${functions.length} functions: median ${median(functions)}, longest ${longestFunction?.lines} (${longestFunction?.name})\n`,
    );
    expect(median(files)).toBeLessThanOrEqual(wanted.median);
    expect(files.filter(({ lines }) => lines > wanted.file)).toEqual([]);
    expect(functions.filter(({ lines }) => lines > wanted.functionLines)).toEqual([]);
  });
});
