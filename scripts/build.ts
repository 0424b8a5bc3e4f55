// Compiles to dist/, bundles the workflow code, without and with traces, and builds the page of `baton ui`. Workers then
// start at once and all run the same bytes.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import type * as BundledCommands from '../cli/bundled-commands';
import type * as Help from '../cli/help';
import type * as Program from '../cli/program';
import type * as SharedModules from '../worker/shared-modules';
import { buildPage } from './build-page';
import { bundleCommands } from './bundle-commands';
import { compactWorkflowCode } from './compact-code';

interface Bundle {
  readonly path: string;
  readonly interceptors: readonly string[];
}

const root = resolve(__dirname, '..');
const dist = join(root, 'dist');
const bundles: readonly Bundle[] = [
  { path: join(dist, 'workflow-bundle.js'), interceptors: [] },
  {
    path: join(dist, 'workflow-bundle-traced.js'),
    interceptors: [join(dist, 'workflows', 'trace', 'interceptors.js')],
  },
];

function newest(folder: string): number {
  const times = readdirSync(folder, { withFileTypes: true }).map((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? newest(path) : statSync(path).mtimeMs;
  });
  return Math.max(0, ...times);
}

function isFresh(path: string, folders: readonly string[]): boolean {
  if (!existsSync(path)) return false;
  const inputs = folders.map((folder) => newest(join(dist, folder)));
  inputs.push(statSync(join(root, 'package-lock.json')).mtimeMs, newest(__dirname));
  return statSync(path).mtimeMs > Math.max(...inputs);
}

async function bundle({ path, interceptors }: Bundle): Promise<void> {
  // From dist/: the module finds the code that it shares by its own place.
  const { sharedModules } = (await import(join(dist, 'worker', 'shared-modules.js'))) as typeof SharedModules;
  const workflowsPath = join(dist, 'workflows', 'index.js');
  const { code } = await bundleWorkflowCode({
    workflowsPath,
    workflowInterceptorModules: [...interceptors],
    payloadConverterPath: join(dist, 'workflows', 'payload-converter.js'),
    failureConverterPath: join(dist, 'workflows', 'failure-converter.js'),
    logger: new DefaultLogger('ERROR'),
    ...sharedModules([workflowsPath]),
  });
  // Renamed when complete: a worker that starts now must not read half a bundle.
  writeFileSync(`${path}.part`, await compactWorkflowCode(code));
  renameSync(`${path}.part`, path);
}

async function bundleClientCommands(): Promise<void> {
  const commands = (await import(join(dist, 'cli', 'bundled-commands.js'))) as typeof BundledCommands;
  const path = join(dist, commands.bundleFile);
  if (isFresh(path, ['cli', 'client', 'domain', 'store', 'temporal-config', 'workflows'])) return;
  await bundleCommands(path, commands.bundledFiles);
}

/** Help is printed from this file, because loading all commands takes longer than anyone wants to wait for it. */
async function writeHelp(): Promise<void> {
  const { createProgram } = (await import(join(dist, 'cli', 'program.js'))) as typeof Program;
  const { describeCommand } = (await import(join(dist, 'cli', 'help.js'))) as typeof Help;
  const nothing = (): never => {
    throw new Error('No command runs during the build');
  };
  const lines = { printLines: nothing, noteLines: nothing, bell: nothing, columns: nothing };
  const output = { ...lines, print: nothing, printJson: nothing, write: nothing, note: nothing, liveText: nothing };
  const terminal = { ...output, readStdin: nothing, isInteractive: false };
  const program = await createProgram({ terminal, settings: nothing, connect: nothing, openStore: nothing });
  const path = join(dist, 'cli', 'help.json');
  const text = JSON.stringify(describeCommand(program));
  // Left alone if nothing has changed: a new file would make the bundle beside it look old.
  if (!existsSync(path) || readFileSync(path, 'utf8') !== text) writeFileSync(path, text);
}

async function build(): Promise<void> {
  execFileSync(process.execPath, [require.resolve('typescript/bin/tsc'), '-p', 'tsconfig.build.json'], {
    cwd: root,
    stdio: ['ignore', process.stderr, process.stderr],
  });
  const stale = bundles.filter(({ path }) => !isFresh(path, ['workflows', 'domain', 'temporal-config']));
  for (const each of stale) await bundle(each);
  await writeHelp();
  await bundleClientCommands();
  await buildPage();
}

build().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
