import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { batonBin, projectRoot } from '../support/paths';

/** Paths of the package. Anything else in it is a mistake. */
const packed =
  /^(package\.json|README\.md|LICENSE|CHANGELOG\.md|bin\/baton\.js|dist\/[\w/-]+\.(js|d\.ts)|dist\/cli\/help\.json|dist\/page\/page\.html|docs\/[\w./-]+\.(md|json|png)|skills\/[\w/-]+\.yaml|templates\/project\/.+|examples\/sample-project\/.+|temporal-config\/dev-server\/go\/.+)$/;

interface Manifest {
  readonly dependencies: Record<string, string>;
}

describe('the package, installed in a project that baton init has made', () => {
  let folder: string;
  let project: string;

  /** Runs a program and returns its output. A failure shows everything that the program said. */
  async function run(cwd: string, program: string, ...args: readonly string[]): Promise<string> {
    const env = {
      ...process.env,
      TEMPORAL_ADDRESS: process.env['BATON_TEST_ADDRESS'],
      TEST_SERVER_ADDRESS: process.env['BATON_TEST_ADDRESS'],
      BATON_STATE_DIR: join(folder, 'state'),
    };
    try {
      const { stdout } = await promisify(execFile)(program, args, { cwd, env, maxBuffer: 64 * 1024 * 1024 });
      return stdout;
    } catch (error) {
      const { stdout, stderr } = error as { stdout?: string; stderr?: string };
      throw new Error(`${program} ${args.join(' ')} failed:\n${stdout ?? ''}\n${stderr ?? ''}`, { cause: error });
    }
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'baton-test-installed-'));
    project = join(folder, 'my-agents');
    const packing = JSON.parse(
      await run(projectRoot, 'npm', 'pack', '--ignore-scripts', '--json', '--pack-destination', folder),
    ) as [{ filename: string; files: { path: string }[] }];
    expect(packing[0].files.map(({ path }) => path).filter((path) => !packed.test(path))).toEqual([]);
    await run(folder, process.execPath, batonBin, 'init', 'my-agents');
    const path = join(project, 'package.json');
    const manifest = JSON.parse(await readFile(path, 'utf8')) as Manifest;
    manifest.dependencies['baton-agents'] = `file:${join(folder, packing[0].filename)}`;
    await writeFile(path, JSON.stringify(manifest));
    await run(project, 'npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error');
  }, 600_000);

  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('the project runs as generated: tool, skill, worker and test', async () => {
    expect(await run(project, 'npm', 'test')).toMatch(/^# pass 3\n# fail 0$/m);
    expect(await run(project, join('node_modules', '.bin', 'baton'), 'skills', 'list')).toMatch(/^editor +/m);
  }, 300_000);

  test('every page of the documentation that the code names is in the package', async () => {
    const installed = join(project, 'node_modules', 'baton-agents');
    const files = await readdir(installed, { recursive: true });
    const code = files.filter((name) => /^dist\/(cli|client|domain|worker|activities)\/.+\.(js|json)$/.test(name));
    const texts = await Promise.all(code.map((name) => readFile(join(installed, name), 'utf8')));
    const named = new Set(texts.flatMap((text) => text.match(/\bdocs\/[\w/-]+\.(md|json)\b/g) ?? []));
    // Files of the projects that examples are about.
    for (const example of ['docs/operations.md', 'docs/report.md']) named.delete(example);
    expect(named.size).toBeGreaterThan(10);
    expect([...named].filter((name) => !files.includes(name))).toEqual([]);
  });

  // Its tests have compiled it.
  test('baton dev --worker runs the worker of the project', async () => {
    const dev = execFile(
      process.execPath,
      ['node_modules/baton-agents/bin/baton.js', 'dev', '--worker', 'dist/worker.js', '--scripted'],
      {
        cwd: project,
        env: { ...process.env, TEMPORAL_ADDRESS: process.env['BATON_TEST_ADDRESS'], BATON_TASK_QUEUE: 'installed-dev' },
      },
    );
    const ended = new Promise<number | null>((resolve) => dev.once('exit', resolve));
    let said = '';
    dev.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()));
    dev.stdout?.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await Promise.race([until(() => said.includes('Ready')), ended]);
    dev.kill('SIGTERM');
    await ended;
    expect(said).toContain('Worker on task queue "installed-dev"');
  }, 300_000);

  describe.each([
    ['CommonJS', 'commonjs', 'node16'],
    ['ES modules', 'module', 'node16'],
    ['ES modules for a bundler', 'module', 'bundler'],
  ] as const)('own tool, slice, prompt, worker and client as %s', (_, type, moduleResolution) => {
    test('compile and run', async () => {
      const own = join(project, `own-${type}-${moduleResolution}`);
      await copyExample(own);
      const compilerOptions = {
        target: 'es2022',
        module: moduleResolution === 'bundler' ? 'es2022' : 'node16',
        moduleResolution,
        strict: true,
        types: ['node'],
        // Types of the Temporal SDK need it.
        skipLibCheck: true,
        outDir: 'dist',
      };
      await writeFile(join(own, 'package.json'), JSON.stringify({ type }));
      await writeFile(join(own, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
      // With its types resolved as for a bundler, the code is the same as above.
      const isForBundler = moduleResolution === 'bundler';
      await run(own, process.execPath, '../node_modules/typescript/bin/tsc', ...(isForBundler ? ['--noEmit'] : []));
      if (isForBundler) return;
      expect(await run(own, process.execPath, 'dist/try.js')).toBe('completed; the reviewer knew the risk\n');
    }, 300_000);
  });

  test('the examples, as they are, compile as CommonJS and run', async () => {
    const own = join(project, 'examples');
    const names = (await readdir(join(projectRoot, 'examples'))).filter((name) => !notProjects.includes(name));
    for (const name of names) await cp(join(projectRoot, 'examples', name), join(own, name), { recursive: true });
    const settings = {
      extends: `./${names[0] ?? ''}/tsconfig.json`,
      compilerOptions: { rootDir: '.', outDir: 'dist' },
      include: ['*/src'],
      // Its package is not installed here.
      exclude: ['mcp-triage/src/tickets-server.ts'],
    };
    await writeFile(join(own, 'package.json'), JSON.stringify({ type: 'commonjs' }));
    await writeFile(join(own, 'tsconfig.json'), JSON.stringify(settings));
    await run(own, process.execPath, '../node_modules/typescript/bin/tsc');
    const file = '../dist/code-reviewer/src/review.test.js';
    const printed = await run(join(own, 'code-reviewer'), process.execPath, '--test', '--test-reporter=tap', file);
    expect(printed).toMatch(/^# pass 2\n# fail 0$/m);
  }, 300_000);
});

/** Folders of examples that import Baton by its path, or are none. */
const notProjects = ['own-tools', 'sample-project'];

/** Copies examples/own-tools with the imports that a project outside this repository writes. */
async function copyExample(target: string): Promise<void> {
  const source = join(projectRoot, 'examples', 'own-tools');
  await mkdir(target);
  const isWanted = (name: string): boolean =>
    name.endsWith('.ts') && !name.endsWith('.test.ts') && name !== 'worker.ts';
  for (const name of (await readdir(source)).filter(isWanted)) {
    const text = await readFile(join(source, name), 'utf8');
    const own = text
      .replace(/'\.\.\/\.\.\/workflows\/extend'/g, "'baton-agents/workflows'")
      .replace(/'\.\.\/\.\.\/(worker|testing)'/g, "'baton-agents/$1'")
      .replace(/'\.\.\/\.\.\/client'/g, "'baton-agents'")
      .replace(/'(\.\/[\w-]+)'/g, "'$1.js'");
    await writeFile(join(target, name), own);
  }
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 50));
}
