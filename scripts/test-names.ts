import { readFileSync } from 'node:fs';

/** A call with a title and a function, at the start of a line: `test('…', () => {`, `test.each([…])('…', …`, `])('…', async (value) => {`. */
const titled =
  /^(?<indent> *)(?:[\w.]+(?:\(\[.*\]\))?|\]\))\((?<quote>['"`])(?<title>(?:(?!\k<quote>).)+)\k<quote>,.*=>/;

/** The names of the tests in a file, each with those of the blocks around it, as Jest joins them. */
export function testNames(path: string): string[] {
  const names: string[] = [];
  let around: { readonly indent: number; readonly title: string }[] = [];
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    const { indent = '', title } = titled.exec(line)?.groups ?? {};
    if (title === undefined) continue;
    // The sources are formatted, so the indent shows the nesting.
    around = [...around.filter((block) => block.indent < indent.length), { indent: indent.length, title }];
    names.push(around.map((block) => block.title).join(' '));
  }
  return names;
}
