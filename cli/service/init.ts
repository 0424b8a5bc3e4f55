import { Command } from 'commander';
import { lstat, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { makeFolder } from '../../temporal-config/node/make-folder';
import { type CliContext, CliError, exitCodes } from '../context';
import { packageFolder, readManifest } from '../package';

const template = join(packageFolder, 'templates', 'project');

/** npm leaves some names out of a package, and folders that begin with a dot are easily overlooked in a template. */
const renamed: readonly (readonly [from: RegExp, to: string])[] = [
  [/^gitignore$/, '.gitignore'],
  [/^skills\//, '.baton/skills/'],
];

/** `baton init`: writes the files of a new project. */
export function initCommand({ terminal }: CliContext): Command {
  return new Command('init')
    .description('create a small project: a worker with a tool, a skill, and a test with a scripted model')
    .argument('[folder]', 'folder of the project; created if it does not exist', '.')
    .option('--json', 'print JSON')
    .addHelpText('after', examples)
    .action(async (folder: string, { json }: { json?: boolean }) => {
      const root = resolve(folder);
      const files = await projectFiles(packageName(basename(root)));
      await refuseExisting(root, [...files.keys()]);
      await writeAll(root, files);
      if (json === true) terminal.printJson({ folder: root, files: [...files.keys()] });
      else terminal.print([...files.keys()].map((path) => join(folder, path)).join('\n'));
      const change = relative(process.cwd(), root);
      terminal.note(`\nNext:\n${change === '' ? '' : `  $ cd ${quoted(change)}\n`}  $ npm install\n  $ npm test`);
    });
}

const examples = `
Nothing is overwritten: the command refuses to run if one of its files exists.

Examples:
  $ baton init my-agents && cd my-agents && npm install && npm test
  $ baton init                       # in the current folder
`;

/** Returns the texts of the project's files by path, in the order of the paths. */
async function projectFiles(name: string): Promise<Map<string, string>> {
  const { version, peerDependencies } = readManifest();
  const values: Readonly<Record<string, string>> = {
    name,
    batonVersion: `^${version}`,
    zodVersion: peerDependencies.zod,
  };
  const entries = await readdir(template, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(template, join(entry.parentPath, entry.name)));
  const files = new Map<string, string>();
  for (const path of paths.sort()) {
    const text = await readFile(join(template, path), 'utf8');
    const target = renamed.reduce((target, [from, to]) => target.replace(from, to), path);
    files.set(
      target,
      text.replace(/\{\{(\w+)\}\}/g, (whole, key: string) => values[key] ?? whole),
    );
  }
  return files;
}

/** Writes the files, or none of them: what is left of half a project would keep the next attempt from starting. */
async function writeAll(root: string, files: ReadonlyMap<string, string>): Promise<void> {
  const written: string[] = [];
  try {
    for (const [path, text] of files) {
      await makeFolder(dirname(join(root, path)));
      // Fails if the file has been created since the check.
      const file = await open(join(root, path), 'wx');
      written.push(join(root, path));
      await file.writeFile(text).finally(() => file.close());
    }
  } catch (error) {
    await Promise.all(written.map((path) => rm(path, { force: true })));
    throw error;
  }
}

/** Returns a path as a shell reads it. */
function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

/** Turns a folder's name into one that npm accepts. */
function packageName(folder: string): string {
  const name = folder
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return name === '' ? 'my-agents' : name;
}

async function refuseExisting(root: string, paths: readonly string[]): Promise<void> {
  if ((await stat(root).catch(() => undefined))?.isFile() === true) {
    throw new CliError(exitCodes.misused, `${root} is a file.`, 'Name a folder, for example: baton init my-agents');
  }
  const folders = [...new Set(paths.flatMap(foldersAbove))];
  const found: string[] = [];
  for (const path of folders) if ((await kindOf(join(root, path))) === 'other') found.push(path);
  for (const path of paths) if ((await kindOf(join(root, path))) !== 'missing') found.push(path);
  if (found.length === 0) return;
  throw new CliError(
    exitCodes.failed,
    `${root} already has ${found.join(', ')}. Nothing was written.`,
    'Choose another folder, for example: baton init my-agents',
  );
}

/** Returns the folders of the project that a file is in. */
function foldersAbove(path: string): string[] {
  const names = path.split('/').slice(0, -1);
  return names.map((_, at) => names.slice(0, at + 1).join('/'));
}

/** A link counts as something else than a folder: what it leads to is not part of the project. */
async function kindOf(path: string): Promise<'missing' | 'folder' | 'other'> {
  try {
    return (await lstat(path)).isDirectory() ? 'folder' : 'other';
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return 'missing';
    throw error;
  }
}
