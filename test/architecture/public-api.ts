import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { projectRoot } from '../support/paths';

/** A symbol that an entry point of the package exports. */
interface PublicSymbol {
  readonly name: string;
  /** Name of the entry point, as users import it. */
  readonly entry: string;
  /** Path and line of the declaration. */
  readonly where: string;
  readonly isDocumented: boolean;
}

/** The code of an `@example` tag. */
export interface Example {
  /** Name of the documented symbol or of its member. */
  readonly of: string;
  /** Name of the entry point that exports the symbol. */
  readonly entry: string;
  readonly path: string;
  /** Line of the first line of code, 1-based. */
  readonly line: number;
  readonly code: string;
}

export interface PublicApi {
  readonly symbols: readonly PublicSymbol[];
  readonly examples: readonly Example[];
  /**
   * Type-checks each example as a file of a project that has installed the package, and returns the errors. An example
   * without imports is a fragment: it may use everything that its entry point exports, and a connected `client`.
   */
  check(examples: readonly Example[]): string[];
}

/** Reads the sources of all entry points that package.json exports. */
export function readPublicApi(): PublicApi {
  const entries = entryPoints();
  const options = compilerOptions(entries);
  const program = ts.createProgram(Object.values(entries), options);
  const checker = program.getTypeChecker();
  const exported = Object.entries(entries).flatMap(([entry, path]) =>
    exportsOf(checker, program.getSourceFile(path)).map((symbol) => ({ entry, symbol })),
  );
  // A symbol that two entries export has its examples only once.
  const declarations = new Map(
    exported.flatMap(({ entry, symbol }) => (symbol.declarations ?? []).filter(isOurs).map((node) => [node, entry])),
  );
  return {
    symbols: exported.map(({ entry, symbol }) => ({
      name: symbol.name,
      entry,
      where: symbol.declarations?.map(whereIs)[0] ?? entry,
      isDocumented: symbol.getDocumentationComment(checker).length > 0,
    })),
    examples: [...declarations].flatMap(([declaration, entry]) => examplesOf(declaration, entry)),
    check: (examples) => {
      const exportedBy = (name: string): string[] =>
        exported.filter(({ entry }) => entry === name).map(({ symbol }) => symbol.name);
      return errorsIn(
        examples.map((example) => completed(example, exportedBy(example.entry))),
        options,
        program,
      );
    },
  };
}

/** Returns the source file of each entry point, by the name under which users import it. */
function entryPoints(): Readonly<Record<string, string>> {
  const { name, exports } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as {
    readonly name: string;
    readonly exports: Readonly<Record<string, string | { readonly types: string }>>;
  };
  return Object.fromEntries(
    Object.entries(exports).flatMap(([path, target]) =>
      typeof target === 'string'
        ? []
        : [[join(name, path), join(projectRoot, target.types.replace('./dist/', '').replace('.d.ts', '.ts'))]],
    ),
  );
}

function compilerOptions(entries: Readonly<Record<string, string>>): ts.CompilerOptions {
  const { config } = ts.readConfigFile(join(projectRoot, 'tsconfig.json'), (path) => ts.sys.readFile(path)) as {
    config: unknown;
  };
  return {
    ...ts.parseJsonConfigFileContent(config, { ...ts.sys, readDirectory: () => [] }, projectRoot).options,
    types: ['node'],
    moduleDetection: ts.ModuleDetectionKind.Force,
    // An example may show a value that it does not use.
    noUnusedLocals: false,
    paths: Object.fromEntries(Object.entries(entries).map(([name, path]) => [name, [path]])),
  };
}

function exportsOf(checker: ts.TypeChecker, file: ts.SourceFile | undefined): ts.Symbol[] {
  const module = file && checker.getSymbolAtLocation(file);
  if (module === undefined) throw new Error(`${file?.fileName ?? 'An entry point'} exports nothing`);
  return checker
    .getExportsOfModule(module)
    .map((symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol));
}

const isOurs = (node: ts.Node): boolean => !node.getSourceFile().fileName.includes('/node_modules/');

function whereIs(node: ts.Node): string {
  const file = node.getSourceFile();
  const { line } = file.getLineAndCharacterOfPosition(node.getStart());
  return `${pathOf(file)}:${line + 1}`;
}

const pathOf = (file: ts.SourceFile): string => file.fileName.slice(projectRoot.length + 1);

const codeBlock = /(?<=```ts\n)[^]*?(?=```)/g;

/** Returns the examples of a declaration and of its members. */
function examplesOf(declaration: ts.Declaration, entry: string): Example[] {
  const found: Example[] = [];
  const visit = (node: ts.Node, of: string): void => {
    const name = ts.getNameOfDeclaration(node as ts.Declaration)?.getText() ?? of;
    for (const tag of ts.getJSDocTags(node)) {
      if (tag.tagName.text === 'example') found.push(...codeOf(tag).map((code) => ({ of: name, entry, ...code })));
    }
    ts.forEachChild(node, (child) => {
      if (ts.isTypeElement(child) || ts.isClassElement(child)) visit(child, name);
    });
  };
  visit(declaration, '');
  return found;
}

/** Returns the code blocks of a page that import the package. */
export function examplesOn(page: string): Example[] {
  const text = readFileSync(join(projectRoot, page), 'utf8');
  return [...text.matchAll(codeBlock)]
    .map((match) => ({
      of: page,
      entry: '',
      path: page,
      line: text.slice(0, match.index).split('\n').length,
      code: match[0],
    }))
    .filter(({ code }) => /from 'baton-agents(\/\w+)?'/.test(code));
}

/** Returns the code blocks of a tag, or all of its text if it has none. */
function codeOf(tag: ts.JSDocTag): Pick<Example, 'path' | 'line' | 'code'>[] {
  const file = tag.getSourceFile();
  const text = tag.getText();
  const fenced = [...text.matchAll(codeBlock)];
  return (fenced.length > 0 ? fenced : [...text.matchAll(/(?<=^@example\n)[^]*/g)]).map((match) => ({
    path: pathOf(file),
    line: file.getLineAndCharacterOfPosition(tag.getStart() + match.index).line + 1,
    code: match[0].replace(/^[ \t]*\* ?/gm, ''),
  }));
}

/** Turns a fragment into a file. All that is added is on the first line, so that line numbers stay the same. */
function completed(example: Example, exported: readonly string[]): Example {
  const { code, entry } = example;
  if (/^(import|export)\b/m.test(code)) return example;
  const used = exported.filter((name) => new RegExp(`\\b${name}\\b`).test(code));
  const scope = [
    `import { ${used.join(', ')} } from '${entry}';`,
    "import type { Client } from '@temporalio/client';",
    'declare const client: Client;',
  ].join(' ');
  return { ...example, code: `${scope} export async function example() { ${code}\n}` };
}

function errorsIn(examples: readonly Example[], options: ts.CompilerOptions, program: ts.Program): string[] {
  // These files exist only in memory. They are in the project's folder so that they find its packages.
  const files = new Map(examples.map((example, index) => [join(projectRoot, `example-${index}.ts`), example]));
  const host = ts.createCompilerHost(options);
  const getSourceFile: ts.CompilerHost['getSourceFile'] = (path, version, ...others) => {
    const example = files.get(path);
    if (example) return ts.createSourceFile(path, example.code, version, true);
    return program.getSourceFile(path) ?? host.getSourceFile(path, version, ...others);
  };
  const withExamples = ts.createProgram([...files.keys()], options, {
    ...host,
    fileExists: (path) => files.has(path) || host.fileExists(path),
    getSourceFile,
  });
  return [...files].flatMap(([path, example]) => {
    const file = withExamples.getSourceFile(path);
    return [...withExamples.getSyntacticDiagnostics(file), ...withExamples.getSemanticDiagnostics(file)].map(
      ({ start = 0, messageText }) => {
        const line = file ? file.getLineAndCharacterOfPosition(start).line : 0;
        return `${example.path}:${example.line + line}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
      },
    );
  });
}
