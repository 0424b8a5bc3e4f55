import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createProgress } from '../../../temporal-config/dev-server/build-binary';
import { findServerBinary } from '../../../temporal-config/dev-server/find-binary';
import { cachedBinaryPath, devServerModuleDir } from '../../../temporal-config/dev-server/paths';
import { scratchFolder, writeProgram } from '../support/scratch';

const downloadUrl = 'http://127.0.0.1:2/cli';

interface Machine {
  readonly env: Record<string, string>;
  readonly calls: string;
  readonly target: string;
}

/** An environment with only a `go` that records how it was called. */
function machineWithGo(version: string, ...build: string[]): Machine {
  const folder = scratchFolder();
  const cache = scratchFolder();
  const calls = join(folder, 'calls');
  writeProgram(
    join(folder, 'go'),
    `if [ "$1" = env ]; then printf '${version}\\n%s\\n' "\${GOTOOLCHAIN:-auto}"; exit; fi`,
    `for word in "$PWD" "$GOFLAGS" "$GOWORK" "$@"; do echo "$word" >> ${calls}; done`,
    ...build,
  );
  const env = { PATH: `${folder}:/usr/bin:/bin`, BATON_CACHE_DIR: cache, GOTOOLCHAIN: 'auto' };
  return { env, calls, target: cachedBinaryPath(cache) };
}

/** The eighth argument is the output file. */
const makesCli = [
  'echo "go: downloading github.com/temporalio/cli v1.8.2" >&2',
  'echo internal/abi >&2; echo github.com/temporalio/cli/cmd/temporal >&2',
  `printf '#!/bin/sh\\necho "temporal version 1 (Server 1.31.2, UI 2)"\\n' > "$7"; chmod +x "$7"`,
];

test('builds the pinned module, whatever workspace or flags surround it', async () => {
  const { env, calls, target } = machineWithGo('go1.26.4', ...makesCli);
  const lines: string[] = [];
  const found = await findServerBinary({ env, downloadUrl, log: (line) => lines.push(line) });
  expect(found).toEqual({ path: target, source: 'build', serverVersion: '1.31.2' });
  expect(readFileSync(calls, 'utf8').trim().split('\n')).toEqual([
    devServerModuleDir(),
    '-mod=readonly',
    'off',
    ...[
      'build',
      '-v',
      '-trimpath',
      '-ldflags',
      '-s -w',
      '-o',
      `${target}.building`,
      'github.com/temporalio/cli/cmd/temporal',
    ],
  ]);
  expect(existsSync(join(devServerModuleDir(), 'go.sum'))).toBe(true);
  expect(readdirSync(dirname(target))).toEqual(['temporal']);
  expect(lines.at(0)).toMatch(/^Building Temporal CLI 1\.8\.2 .*: \d+ s, 0 packages compiled/);
  expect(lines.at(-1)).toMatch(/^Built Temporal CLI 1\.8\.2 in/);
});

test('a failed build shows the end of the compiler output, and leaves no files', async () => {
  const { env, target } = machineWithGo(
    'go1.27.0',
    'echo half > "$7"',
    'echo "link: no space left on device" >&2; exit 2',
  );
  await expect(findServerBinary({ env, downloadUrl })).rejects.toThrow(
    /build from its Go module: `go build` exited with code 2:\n *link: no space left on device/,
  );
  expect(readdirSync(dirname(target))).toEqual([]);
});

test('an old Go is refused, unless it may download a newer one', async () => {
  const { env, calls, target } = machineWithGo('go1.22.1', ...makesCli);
  await expect(findServerBinary({ env: { ...env, GOTOOLCHAIN: 'local' }, downloadUrl })).rejects.toThrow(
    /Go 1\.26\.\d+ or newer is required; found go1\.22\.1 \(GOTOOLCHAIN=local\)/,
  );
  expect(existsSync(calls)).toBe(false);
  expect(await findServerBinary({ env, downloadUrl })).toMatchObject({ path: target, source: 'build' });
});

test('two concurrent calls build once', async () => {
  const { env, calls, target } = machineWithGo('go1.26.8', 'sleep 0.4', ...makesCli);
  const found = await Promise.all([findServerBinary({ env, downloadUrl }), findServerBinary({ env, downloadUrl })]);
  expect(found.map(({ path }) => path)).toEqual([target, target]);
  expect(found.map(({ source }) => source).sort()).toEqual(['build', 'cache']);
  expect(readFileSync(calls, 'utf8').match(/^build$/gm)).toHaveLength(1);
});

describe('progress', () => {
  test('is one line that is updated in place on a terminal', () => {
    const written: string[] = [];
    const terminal = { isTTY: true, write: (text: string) => written.push(text) };
    const progress = createProgress(() => {
      throw new Error('not here');
    }, terminal);
    progress.update('one');
    progress.update('two');
    progress.finish('done');
    expect(written).toEqual(['\r\u001b[Kone', '\r\u001b[Ktwo', '\r\u001b[Kdone\n']);
  });

  test('is an occasional line elsewhere', () => {
    const lines: string[] = [];
    const progress = createProgress((line) => lines.push(line), { write: () => true });
    for (const text of ['one', 'two', 'three']) progress.update(text);
    progress.finish('done');
    expect(lines).toEqual(['one', 'done']);
  });
});
