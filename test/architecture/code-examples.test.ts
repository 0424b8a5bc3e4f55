import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { projectRoot } from '../support/paths';
import { programFolders, sourcesIn } from './sources';

/** Pages whose code must compile as it is. Others show excerpts. */
const pages = ['docs/testing-your-agents.md'];
const fence = /```ts\n([^]*?)```/g;
/** Each program of the package's users imports one of its entries. */
const importsBaton = /from 'baton(\/\w+)?'/;
const entries = {
  baton: ['client/index.ts'],
  'baton/worker': ['worker/index.ts'],
  'baton/workflows': ['workflows/extend.ts'],
  'baton/testing': ['testing/index.ts'],
};

interface Example {
  /** The file that contains the example, and its number there. */
  readonly name: string;
  readonly code: string;
}

function examplesIn(path: string, text: string): Example[] {
  return [...text.matchAll(fence)]
    .map(([, code = ''], index) => ({ name: `${path.replace(/\.\w+$/, '')}.example-${index}.ts`, code }))
    .filter(({ code }) => importsBaton.test(code));
}

/** Type-checks the examples as if they were files of this project, with its entries under their published names. */
function problemsOf(examples: readonly Example[]): string[] {
  const { config } = ts.readConfigFile(join(projectRoot, 'tsconfig.json'), (path) => ts.sys.readFile(path)) as {
    config: object;
  };
  const { options } = ts.parseJsonConfigFileContent({ ...config, files: [] }, ts.sys, projectRoot);
  const paths = Object.fromEntries(
    Object.entries(entries).map(([name, [file = '']]) => [name, [join(projectRoot, file)]]),
  );
  const files = new Map(examples.map(({ name, code }) => [join(projectRoot, name), code]));
  const host = ts.createCompilerHost(options);
  const { readFile, fileExists } = host;
  host.readFile = (path) => files.get(path) ?? readFile(path);
  host.fileExists = (path) => files.has(path) || fileExists(path);
  const program = ts.createProgram([...files.keys()], { ...options, paths }, host);
  return [...files.keys()].flatMap((path) =>
    [
      ...program.getSyntacticDiagnostics(program.getSourceFile(path)),
      ...program.getSemanticDiagnostics(program.getSourceFile(path)),
    ].map(({ messageText }) => `${path}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`),
  );
}

test('the examples in doc comments and on the page about testing compile', () => {
  const comments = sourcesIn(programFolders).map(({ path, text }) => ({ path, text: text.replace(/^ \* ?/gm, '') }));
  const texts = pages.map((path) => ({ path, text: readFileSync(join(projectRoot, path), 'utf8') }));
  const examples = [...comments, ...texts].flatMap(({ path, text }) => examplesIn(path, text));
  expect(examples.length).toBeGreaterThan(10);
  expect(problemsOf(examples)).toEqual([]);
});
