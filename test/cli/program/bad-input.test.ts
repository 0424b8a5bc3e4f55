import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { say, useTool } from '../../../testing/scripted-model';
import { bareWrap } from '../../domain/prompt/samples';
import { batonBin } from '../../support/paths';
import type { Printed } from '../support/in-process';
import { start } from '../support/process';
import { Stand } from '../support/stand';

type Refusal = Omit<Printed, 'exitCode'> & { readonly exitCode: number | null };

/**
 * Checks what every refusal has in common: an exit code, a message on standard error, and nothing that only a
 * programmer understands.
 */
function expectRefusal({ exitCode, stdout, stderr }: Refusal, code: number, words: RegExp): void {
  expect(stderr).toMatch(words);
  expect(stderr).not.toMatch(/^\s+at /m);
  expect(stdout).toBe('');
  expect(exitCode).toBe(code);
}

describe('bad input', () => {
  let stand: Stand;
  beforeAll(async () => {
    stand = await Stand.start((call) => {
      const [result] = call.toolResults;
      if (result === undefined) return useTool('read_file', { path: 'way-out/secret.txt' });
      return say(`${result.isError ? 'Refused' : 'Read'}: ${result.text}`);
    });
    await writeFile(join(stand.folder, 'a-file'), 'not a folder');
    await writeFile(join(stand.folder, 'bad.yaml'), 'scope:\n  omit: [test]\n');
    await mkdir(join(stand.folder, 'outside'));
    await writeFile(join(stand.folder, 'outside', 'secret.txt'), 'the eagle has landed');
    await symlink(join(stand.folder, 'outside'), join(stand.folder, 'a-link'));
    await symlink(join(stand.folder, 'outside'), join(stand.folder, 'workspace', 'way-out'));
  });
  afterAll(() => stand.close());

  test.each<[string, string[], number, RegExp]>([
    ['an empty goal', [''], 2, /goal: must not be empty/],
    ['a goal of blanks', ['  \n'], 2, /goal: must not be empty/],
    ['a goal as long as a book', ['x'.repeat(20_000)], 2, /goal: must be at most 16384 bytes/],
    ['an unknown model', ['x', '--model', 'gpt-0'], 2, /"gpt-0" is not a known model.*claude-.*--window/],
    ['a window with no room to answer', ['x', '--window', '100'], 2, /leaves no room/],
    [
      'a default without a prompt',
      ['x', '--prompt-default', 'repo_root=src'],
      2,
      /--prompt-default.*ns\/key:name=value/,
    ],
    ['a temperature that is no number', ['x', '--temperature', 'warm'], 2, /--temperature.*number from 0 to 1/],
    ['a deadline that is no time', ['x', '--deadline', 'soon'], 2, /--deadline.*30m, or a time in ISO 8601/],
    ['no turns', ['x', '--max-turns', '0'], 2, /--max-turns.*positive integer/],
    ['a workspace that does not exist', ['x', '-w', 'nowhere'], 2, /the folder "nowhere" does not exist/],
    ['a workspace that is a file', ['x', '-w', 'a-file'], 2, /"a-file" is not a folder/],
    ['a workspace that is a link', ['x', '-w', 'a-link'], 2, /"a-link" is a symbolic link to .*Pass the folder itself/],
    ['a workspace without a name', ['x', '-w', ''], 2, /--workspace.*Must not be empty/],
    ['an empty number', ['x', '--max-depth', ''], 2, /--max-depth.*non-negative integer/],
    [
      'controls with an error',
      ['x', '--delegation', 'bad.yaml'],
      2,
      /--delegation: bad\.yaml:2:3: error: scope\.omit: unknown/,
    ],
    [
      'controls that do not exist',
      ['x', '--delegation', 'none.yaml'],
      2,
      /none\.yaml:1:1: error: cannot be read: ENOENT/,
    ],
    ['an option that does not exist', ['x', '--folow'], 2, /unknown option '--folow'[^]*--follow/],
  ])('%s is refused, and nothing is started', async (_, args, code, words) => {
    const id = stand.newId();
    expectRefusal(await stand.command('run', ...args, '--id', id), code, words);
    expect(await stand.hasRun(id)).toBe(false);
  });

  test.each(['a/b', 'x'.repeat(65)])('the run id %j is refused', async (id) => {
    expectRefusal(await stand.command('run', 'x', `--id=${id}`), 2, /^--id: .*letters, digits/);
    expect(await stand.hasRun(id)).toBe(false);
  });

  test('a server that cannot be reached is named, with what to do', async () => {
    const ended = await stand.batonWith({ TEMPORAL_ADDRESS: '127.0.0.1:1' }, 'run', 'x');
    expectRefusal(ended, 3, /Cannot connect to Temporal at 127\.0\.0\.1:1[^]*Check TEMPORAL_ADDRESS/);
  });

  test('a port that does not exist is named, also as JSON', async () => {
    const ended = await stand.batonWith({ TEMPORAL_ADDRESS: '127.0.0.1:99999' }, 'list', '--json');
    expect(ended.stderr).toMatch(
      /Cannot connect to Temporal at 127\.0\.0\.1:99999: 99999 is not a port[^]*TEMPORAL_ADDRESS/,
    );
    expect(ended.stderr).not.toMatch(/^\s+at /m);
    expect(JSON.parse(ended.stdout)).toMatchObject({ error: { exitCode: 3, remedy: expect.any(String) as string } });
    expect(ended.exitCode).toBe(3);
  });

  test('a state folder that can never exist is reported instead of waited for', async () => {
    const env = { BATON_STATE_DIR: '/proc/nope', BATON_STORE_DIR: '' };
    const ended = await stand.batonWith(env, 'doctor');
    expect(ended.stdout).toMatch(/✗ Store: .*\/proc\/nope/);
    expect(ended.exitCode).toBe(3);
    expectRefusal(await stand.batonWith(env, 'gc', '--older-than', '1d'), 3, /The store at .*\/proc\/nope/);
  });

  test('output that cannot be written is an error without a stack', async () => {
    const input = join(stand.folder, 'wrap.json');
    await writeFile(input, JSON.stringify(bareWrap('You count words.')));
    const command = `"${process.execPath}" "${batonBin}" wrap --input "${input}" > /dev/full`;
    const { stderr, exitCode } = await start('sh', ['-c', command], stand.surroundings()).ended;
    expect(stderr).toBe("The output can't be written: ENOSPC: no space left on device, write\n");
    expect(exitCode).toBe(1);
  });

  test('a folder with more skills than a process may open files loses none of them', async () => {
    const folder = join(stand.folder, 'many-skills');
    await mkdir(folder);
    const skill = (name: string): string => `name: ${name}\ndescription: D.\nsystemPrompt: You.\ntools: []\n`;
    for (let at = 0; at < 300; at += 1) await writeFile(join(folder, `s${at}.yaml`), skill(`s${at}`));
    const command = `ulimit -n 100; exec "${process.execPath}" "${batonBin}" skills check "${folder}"`;
    const { stdout, stderr, exitCode } = await start('sh', ['-c', command], stand.surroundings()).ended;
    expect({ stdout, stderr, exitCode }).toEqual({ stdout: '304 skills, no errors.\n', stderr: '', exitCode: 0 });
  });

  test('an empty list of prices counts as none', async () => {
    const id = stand.newId();
    expect((await stand.batonWith({ BATON_PRICES: '' }, 'run', 'x', '--id', id)).exitCode).toBe(0);
    expectRefusal(await stand.batonWith({ BATON_PRICES: 'nowhere' }, 'run', 'x'), 2, /"nowhere" can't be read/);
  });

  test('a missing server is reported, with what to do', async () => {
    expectRefusal(await stand.batonWith({ TEMPORAL_ADDRESS: '' }, 'run', 'x'), 3, /No Temporal server[^]*baton dev/);
  });

  test('a namespace that does not exist is named', async () => {
    const id = stand.newId();
    const ended = await stand.batonWith({ TEMPORAL_NAMESPACE: 'nowhere' }, 'run', 'x', '--id', id);
    expectRefusal(ended, 3, /nowhere/);
    expect(await stand.hasRun(id)).toBe(false);
  });

  test('a store that cannot be written keeps a run from being started', async () => {
    const id = stand.newId();
    const BATON_STORE_DIR = join(stand.folder, 'a-file');
    const ended = await stand.batonWith({ BATON_STORE_DIR }, 'run', 'x', '--id', id);
    expectRefusal(ended, 3, /The store at .*a-file cannot be used[^]*BATON_STORE/);
    expect(await stand.hasRun(id)).toBe(false);
    expectRefusal(await stand.batonWith({ BATON_STORE_DIR }, 'gc', id), 3, /The store at .*a-file cannot be used/);
  });

  test('a worker whose store cannot be written does not start', async () => {
    const BATON_STORE_DIR = join(stand.folder, 'a-file', 'store');
    expectRefusal(await stand.batonWith({ BATON_STORE_DIR }, 'worker'), 3, /The store at .* cannot be used/);
  });

  test('a worker whose scratch folder is a file does not start', async () => {
    const ended = await stand.batonWith({ BATON_SCRATCH_DIR: join(stand.folder, 'a-file') }, 'worker');
    expectRefusal(ended, 3, /commands\.scratchDir: ".*a-file" can't be used: ENOTDIR.*BATON_SCRATCH_DIR/);
  });

  test('an invalid setting is named', async () => {
    expectRefusal(
      await stand.batonWith({ BATON_WINDOW: 'wide' }, 'run', 'x'),
      3,
      /BATON_WINDOW: "wide" is not allowed/,
    );
  });

  test('a link inside the workspace that leads out of it is not followed', async () => {
    const { stdout, exitCode } = await stand.baton('run', 'Read the secret', '-w', 'workspace', '--follow');
    expect(stdout).toMatch(/^Refused: /);
    expect(stdout).not.toContain('eagle');
    expect(exitCode).toBe(0);
  });

  test.each([['show'], ['cancel'], ['show', '--follow']])('%s %s of an unknown run says so', async (...args) => {
    expectRefusal(
      await stand.command(...args, 'nobody'),
      1,
      /Run "nobody" does not exist\.\nList runs with: baton list/,
    );
  });

  test('prompt of an unknown agent says so', async () => {
    expectRefusal(
      await stand.command('prompt', 'nobody'),
      1,
      /Run "nobody" does not exist\.\nList runs with: baton list/,
    );
    expectRefusal(await stand.command('prompt', 'nobody/else'), 1, /Run nobody has no delegation "else"/);
  });

  test.each(['tree', 'why'])('%s of an unknown agent says so', async (command) => {
    const ended = await stand.command(command, 'nobody');
    expectRefusal(ended, 1, /Agent "run\/nobody" does not exist\.\nList runs with: baton list/);
  });

  test('list refuses an unknown state', async () => {
    expectRefusal(await stand.command('list', '--status', 'asleep'), 2, /Allowed choices are running, completed/);
    expectRefusal(await stand.command('list', '--limit', 'many'), 2, /--limit.*positive integer/);
  });
});
