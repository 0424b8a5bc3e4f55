import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../support/paths';

/** A few names of each entry of the package that programs import. */
const entries: readonly [entry: string, names: readonly string[]][] = [
  ['baton-agents', ['createBaton', 'connectClient', 'readEvents']],
  ['baton-agents/worker', ['createBatonWorker', 'defineTool', 'runWorker']],
  ['baton-agents/workflows', ['createWorkflows', 'defineSlice', 'upsertBy']],
  ['baton-agents/testing', ['startHarness', 'startTestServer', 'startScriptedModel', 'say', 'scriptByTurn']],
];

/** Runs code in Node.js, in the package's folder: a package may import itself by its name. */
async function evaluate(code: string, ...options: readonly string[]): Promise<unknown> {
  const { stdout } = await promisify(execFile)(process.execPath, [...options, '--eval', code], { cwd: projectRoot });
  return JSON.parse(stdout);
}

describe.each(entries)('the entry %s', (entry, names) => {
  const expected = names.map((name) => [name, 'function']);

  test('can be required', async () => {
    const code = `const e = require('${entry}'); console.log(JSON.stringify(${JSON.stringify(names)}.map((n) => [n, typeof e[n]])));`;
    expect(await evaluate(code)).toEqual(expected);
  });

  test('can be imported by name from an ES module', async () => {
    const code = `import { ${names.join(', ')} } from '${entry}'; console.log(JSON.stringify(Object.entries({ ${names.join(', ')} }).map(([n, v]) => [n, typeof v])));`;
    expect(await evaluate(code, '--input-type=module')).toEqual(expected);
  });
});

test('every entry has types beside its code', () => {
  const { exports } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as {
    exports: Record<string, string | { types: string; default: string }>;
  };
  const paths = Object.values(exports).flatMap((entry) => (typeof entry === 'string' ? [] : [entry]));
  expect(paths).toHaveLength(entries.length);
  for (const { types, default: code } of paths) {
    expect(types).toBe(code.replace(/\.js$/, '.d.ts'));
    expect(readFileSync(join(projectRoot, types), 'utf8')).not.toBe('');
  }
});

test('the package contains its entries and what they read at run time', async () => {
  const args = ['pack', '--dry-run', '--ignore-scripts', '--json'];
  const { stdout } = await promisify(execFile)('npm', args, { cwd: projectRoot, maxBuffer: 64 * 1024 * 1024 });
  const [packed] = JSON.parse(stdout) as [{ files: { path: string }[] }];
  const paths = packed.files.map(({ path }) => path);
  expect(paths).toEqual(
    expect.arrayContaining([
      'bin/baton.js',
      'dist/testing/index.js',
      'dist/testing/index.d.ts',
      'dist/workflow-bundle.js',
      'skills/researcher.yaml',
      'examples/sample-project/README.md',
      'temporal-config/dev-server/go/go.mod',
    ]),
  );
  expect(paths.filter((path) => /^(test|bench|dist\/(bench|examples))\//.test(path))).toEqual([]);
});
