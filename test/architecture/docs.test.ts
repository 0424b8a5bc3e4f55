import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { activityContracts } from '../../activities/contracts';
import type { CliContext } from '../../cli/context';
import { createProgram } from '../../cli/program';
import { projectRoot } from '../support/paths';
import { tiers } from '../support/tiers';
import { programFolders, sourcesIn } from './sources';

interface Page {
  readonly path: string;
  /** Text in backticks, outside fenced blocks. */
  readonly inline: readonly string[];
  readonly fences: readonly { readonly language: string; readonly code: string }[];
  readonly text: string;
}

const read = (path: string): string => readFileSync(join(projectRoot, path), 'utf8');

function readPage(path: string): Page {
  const text = read(path);
  const fence = /^[ ]*```(\w*)\n([^]*?)^[ ]*```$/gm;
  return {
    path,
    text,
    inline: [...text.replace(fence, '').matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code),
    fences: [...text.matchAll(fence)].map(([, language = '', code = '']) => ({ language, code })),
  };
}

/** Returns every match of `find` that `isRight` refuses, with its page. */
function wrong(
  pages: readonly Page[],
  find: (page: Page) => readonly string[],
  isRight: (found: string, page: Page) => boolean,
): string[] {
  return pages.flatMap((page) =>
    [...new Set(find(page))].filter((found) => !isRight(found, page)).map((found) => `${page.path}: ${found}`),
  );
}

const pages = [
  ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md'],
  ...readdirSync(join(projectRoot, 'docs'), { recursive: true, encoding: 'utf8' }).map((name) => join('docs', name)),
  ...readdirSync(join(projectRoot, 'examples')).map((name) => join('examples', name, 'README.md')),
]
  .filter((path) => path.endsWith('.md') && existsSync(join(projectRoot, path)))
  .map(readPage);
/** The changelog names what no longer exists. */
const current = pages.filter(({ path }) => path !== 'CHANGELOG.md');

/** Folders of a store and of the state folder, which are not part of the repository. */
const elsewhere = ['runs/', 'users/'];
/** Names of other programs' code, and of files in examples. */
const foreign = [
  'createLocal',
  'stackTraceLimit',
  'config.ts',
  'failureExceptionTypes',
  'workflowFailureErrorTypes',
  'NondeterminismError',
];

const topLevel = new Set(readdirSync(projectRoot));
const everyFile = new Set(
  sourcesIn([...programFolders, 'bench', 'examples', 'scripts', 'test']).map(({ path }) => path.replace(/^.*\//, '')),
);

/** Whether text in backticks is a path in the repository, and not a workflow id, a package or a section of a prompt. */
function isPath(code: string): boolean {
  if (!/^[\w*{},.-]+(\/[\w*{},.-]*)+$/.test(code) || code.startsWith('.') || elsewhere.includes(code)) return false;
  return code.endsWith('/') || /\.(ts|js|json|md)$/.test(code) || topLevel.has(code.split('/')[0] ?? '');
}

/** Expands `a/{b,c}.ts`, and cuts a pattern off at its first `*`. */
function expand(path: string): string[] {
  const [, before = '', list = '', after = ''] = /^(.*?)\{([^}]*)\}(.*)$/.exec(path) ?? [];
  if (list !== '') return list.split(',').flatMap((name) => expand(`${before}${name}${after}`));
  return [path.replace(/[^/]*\*.*$/, '')];
}

const everyFolder = new Set(
  sourcesIn(programFolders).flatMap(({ path }) =>
    dirname(path)
      .split('/')
      .map((name) => `${name}/`),
  ),
);

/** A folder may be named without what is above it, as in a table of modules. */
function existsFrom(page: Page, path: string): boolean {
  const folders = [projectRoot, join(projectRoot, dirname(page.path))];
  return everyFolder.has(path) || folders.some((folder) => existsSync(join(folder, path)));
}

describe('the documents', () => {
  test('name only paths that exist', () => {
    expect(
      wrong(
        current,
        // One page lists files of other projects.
        ({ inline, path }) =>
          path === 'docs/reference/excluded-files.md' ? [] : inline.filter(isPath).flatMap(expand),
        (path, page) => existsFrom(page, path),
      ),
    ).toEqual([]);
  });

  test('name only source files that exist', () => {
    const names = ({ inline }: Page): string[] => inline.filter((code) => /^[\w.-]+\.(ts|js)$/.test(code));
    const isKnown = (name: string, page: Page): boolean =>
      everyFile.has(name) || foreign.includes(name) || existsFrom(page, name);
    expect(wrong(current, names, isKnown)).toEqual([]);
  });

  test('name only functions, types and fields that the sources contain', () => {
    const sources = sourcesIn([...programFolders, 'examples', 'bench', 'test']);
    const words = new Set(sources.flatMap(({ text }) => text.match(/[A-Za-z_$][\w$]*/g) ?? []));
    const camelCase = /^[A-Za-z]*[a-z][A-Z]\w*$/;
    const names = ({ inline }: Page): string[] =>
      inline
        .flatMap((code) => (/^[\w.()]+$/.test(code) ? code.split(/\W+/) : []))
        .filter((name) => camelCase.test(name));
    expect(wrong(current, names, (name) => words.has(name) || foreign.includes(name))).toEqual([]);
  });

  test('import only what the package exports', () => {
    const entries: Readonly<Record<string, string>> = {
      'baton-agents': 'client/index.ts',
      'baton-agents/worker': 'worker/index.ts',
      'baton-agents/workflows': 'workflows/extend.ts',
      'baton-agents/testing': 'testing/index.ts',
    };
    const imports = ({ fences }: Page): string[] =>
      fences.flatMap(({ code }) =>
        [...code.matchAll(/import \{([^}]+)\} from '((?:baton|\.\.\/domain)[^']*)'/g)].flatMap(
          ([, names = '', entry = '']) =>
            names.split(',').map((name) => `${name.trim().replace(/^type /, '')} from ${entry}`),
        ),
      );
    const isExported = (found: string): boolean => {
      const [name = '', entry = ''] = found.split(' from ');
      const file = entries[entry] ?? entry.replace(/^\.\.\/(.*)$/, '$1/index.ts');
      return new RegExp(`\\b${name}\\b`).test(existsSync(join(projectRoot, file)) ? read(file) : '');
    };
    expect(wrong(current, imports, isExported)).toEqual([]);
  });

  test('name only npm scripts that exist', () => {
    const scriptsIn = (folder: string): string[] => {
      const file = join(folder, 'package.json');
      if (!existsSync(join(projectRoot, file))) return [];
      return Object.keys((JSON.parse(read(file)) as { scripts?: object }).scripts ?? {});
    };
    /** Pages about examples name scripts of these projects. */
    const ofExamples = readdirSync(join(projectRoot, 'examples')).flatMap((name) => scriptsIn(join('examples', name)));
    const scripts = new Set(scriptsIn('.'));
    const named = ({ text }: Page): string[] =>
      [...text.matchAll(/npm run (?:-s )?([\w:-]+)/g)].map(([, name = '']) => name);
    expect(
      wrong(
        pages,
        named,
        (name, { path }) => scripts.has(name) || (path.includes('examples') && ofExamples.includes(name)),
      ),
    ).toEqual([]);
  });

  test('name only commands and options of commands that exist', async () => {
    const program = await createProgram({ terminal: {} } as CliContext);
    const options = new Map(
      program.commands.map((command) => [
        command.name(),
        [command, ...command.commands].flatMap((one) => one.options.flatMap(({ short, long }) => [short, long])),
      ]),
    );
    const lines = ({ inline, fences }: Page): string[] => [
      ...inline,
      ...fences.filter(({ language }) => ['sh', 'console'].includes(language)).flatMap(({ code }) => code.split('\n')),
    ];
    const calls = (page: Page): string[] =>
      lines(page).flatMap((line) =>
        [...line.matchAll(/(?:^|[\s(])baton ([a-z][^|;&#)]*)/g)].map(([, call = '']) => call),
      );
    const isRight = (call: string): boolean => {
      const [name = '', ...rest] = call.replace(/"[^"]*"|'[^']*'/g, '').split(/[\s,\][]+/);
      const known = options.get(name);
      const used = rest.filter((word) => /^--?\w/.test(word)).map((word) => word.replace(/=.*/, ''));
      return known !== undefined && used.every((option) => ['--help', ...known].includes(option));
    };
    expect(wrong(pages, calls, isRight)).toEqual([]);
  });

  // Two versions of a table that were merged by keeping both look like one table with a heading in its middle.
  test('have one heading in each table', () => {
    const tables = ({ text }: Page): string[] => text.match(/(?:^\|.*\n)+/gm) ?? [];
    const headings = (table: string): number => table.match(/^\|(?: ?:?-+:? ?\|)+$/gm)?.length ?? 0;
    expect(wrong(pages, tables, (table) => headings(table) <= 1)).toEqual([]);
  });

  test('list every activity', () => {
    const page = read('docs/architecture.md');
    expect(activityContracts.map(({ name }) => name).filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });

  test('list every tier of the tests', () => {
    const listed = [...read('docs/testing.md').matchAll(/^\| `([\w-]+)` /gm)].map(([, name]) => name);
    expect(listed.sort()).toEqual(Object.keys(tiers).sort());
  });
});

describe('the walk through a run', () => {
  const [, section = ''] = /\n## A walk through one run\n([^]*?)(?=\n## |$)/.exec(read('docs/architecture.md')) ?? [];
  const hops = [...section.matchAll(/^\| *(\d+) *\| `([^`]+)` *\| `([^`]+)` *\| (.+?) *\|$/gm)].map(
    ([, number = '', file = '', name = '']) => ({ number: Number(number), file, name }),
  );

  /** Whether a file declares a function, a class, or a method or field (`Class.method`). */
  function declares(file: string, name: string): boolean {
    if (!existsSync(join(projectRoot, file))) return false;
    const text = read(file);
    return name.split('.').every((part) => {
      const declaration = new RegExp(
        `\\b(?:function|class|const|interface) ${part}\\b|^ +(?:(?:private|readonly|async|get) )*${part}(?:\\(|<|: )`,
        'm',
      );
      return declaration.test(text);
    });
  }

  test('is numbered, and has at most 45 hops', () => {
    expect(hops.map(({ number }) => number)).toEqual(hops.map((_hop, index) => index + 1));
    expect(hops.length).toBeGreaterThan(20);
    expect(hops.length).toBeLessThanOrEqual(45);
  });

  test('names functions that are in the files it names', () => {
    expect(hops.filter(({ file, name }) => !declares(file, name)).map(({ file, name }) => `${file}: ${name}`)).toEqual(
      [],
    );
  });
});
