import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compareVersions } from '../../../temporal-config/dev-server/binary-version';
import { findServerBinary } from '../../../temporal-config/dev-server/find-binary';
import { cachedBinaryPath } from '../../../temporal-config/dev-server/paths';
import { failureOf } from '../support/failure';
import { scratchFolder, writeFakeCli, writeProgram } from '../support/scratch';

/** An address where nothing listens, so that a download fails at once. */
const refused = 'http://127.0.0.1:2/cli';

/** An isolated environment: a PATH with the given folders, and an empty cache. */
function machine(...folders: string[]): { PATH: string; BATON_CACHE_DIR: string } {
  return { PATH: folders.join(':'), BATON_CACHE_DIR: scratchFolder() };
}

test('a program that is set explicitly takes precedence', async () => {
  const [named, folder] = [writeFakeCli(join(scratchFolder(), 'my-temporal')), scratchFolder()];
  writeFakeCli(join(folder, 'temporal'));
  const env = { ...machine(folder), BATON_TEMPORAL_CLI: named };
  expect(await findServerBinary({ env })).toEqual({ path: named, source: 'explicit', serverVersion: '1.31.2' });
});

test('an explicit program that cannot be used is an error, and no other is tried', async () => {
  const folder = scratchFolder();
  writeFakeCli(join(folder, 'temporal'));
  const notExecutable = join(scratchFolder(), 'temporal');
  writeFileSync(notExecutable, '');
  const failure = await failureOf(findServerBinary({ env: { ...machine(folder), BATON_TEMPORAL_CLI: notExecutable } }));
  expect(failure.message).toBe(`BATON_TEMPORAL_CLI=${notExecutable} is not executable`);
  expect(failure.remedy).toContain('unset');
});

test('the PATH takes precedence over the cache, and its first program that is new enough is used', async () => {
  const [old, broken, good] = [scratchFolder(), scratchFolder(), scratchFolder()];
  writeFakeCli(join(old, 'temporal'), '1.28.1');
  writeProgram(join(broken, 'temporal'), 'exit 3');
  const path = writeFakeCli(join(good, 'temporal'), '1.29.0');
  const env = machine(old, broken, good, '/bin');
  writeFakeCli(cachedBinaryPath(env.BATON_CACHE_DIR));
  expect(await findServerBinary({ env })).toEqual({ path, source: 'path', serverVersion: '1.29.0' });
});

test('the cache is used when the PATH has only an old one', async () => {
  const old = scratchFolder();
  writeFakeCli(join(old, 'temporal'), '1.22.4');
  const env = machine(old, '/bin');
  const path = writeFakeCli(cachedBinaryPath(env.BATON_CACHE_DIR));
  expect(await findServerBinary({ env })).toMatchObject({ path, source: 'cache' });
});

test('when nothing works, one error lists every attempt and why it failed', async () => {
  const old = scratchFolder();
  writeFakeCli(join(old, 'temporal'), '1.22.4');
  const env = machine(old);
  writeProgram(cachedBinaryPath(env.BATON_CACHE_DIR), 'echo cannot execute binary file >&2; exit 126');
  const failure = await failureOf(findServerBinary({ env, downloadUrl: refused }));
  expect(failure.name).toBe('ServerSetupError');
  expect(failure.remedy).toContain('TEMPORAL_ADDRESS');
  const [title, ...tried] = failure.message.split('\n');
  expect(title).toContain('No Temporal server');
  expect(tried).toEqual([
    expect.stringContaining(`${old}/temporal: contains server 1.22.4, which is too old`),
    expect.stringContaining("Baton's cache"),
    expect.stringMatching(/download from http:\/\/127\.0\.0\.1:2\/cli: .*ECONNREFUSED/),
    expect.stringContaining('build from its Go module: `go` is not on the PATH'),
  ]);
});

test('a PATH without the CLI and a cache that cannot be written are reported, too', async () => {
  const file = join(scratchFolder(), 'file');
  writeFileSync(file, '');
  const env = { PATH: '', BATON_CACHE_DIR: join(file, 'cache') };
  await expect(findServerBinary({ env, downloadUrl: refused })).rejects.toThrow(
    /`temporal` on the PATH: does not exist[^]*writing to Baton's cache.*ENOTDIR/,
  );
});

test.each([
  ['1.29.0', '1.29', 0],
  ['1.31.2', '1.29', 1],
  ['1.9.9', '1.29', -1],
  ['go1.26.8', '1.26.4', 1],
  ['1.31.0-rc.1', '1.31.0', 0],
])('version %s against %s', (left, right, sign) => {
  expect(Math.sign(compareVersions(left, right))).toBe(sign);
});
