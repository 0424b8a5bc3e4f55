import type { RunEvent } from '../../../client/event/record';
import { hang, scriptByTurn, say, useTool } from '../../../testing/scripted-model';
import { byDepth, dispatch } from '../../support/delegation-script';
import { Stand } from '../support/stand';

const root = scriptByTurn(
  useTool('add_note', { text: 'Look \u001b[31mhere\nand there' }),
  useTool('dispatch_subagent', dispatch()),
  say('Forty-two.'),
);
const child = scriptByTurn(useTool('add_note', { text: 'from below' }), say('Done.'));

describe('tail', () => {
  let stand: Stand;
  const ids = { done: '', running: '' };
  beforeAll(async () => {
    stand = await Stand.start((call) =>
      call.systemText.includes('Never end')
        ? hang({ afterEvents: 3, answer: say('An answer that never ends') })
        : byDepth(root, child)(call),
    );
    Object.assign(ids, { done: stand.newId(), running: stand.newId() });
    await stand.baton('run', 'Never end', '--id', ids.running);
    await stand.baton('run', 'Delegate', '--id', ids.done, '--follow');
  });
  afterAll(async () => {
    await stand.stopRun(ids.running);
    await stand.close();
  });

  const parsed = (stdout: string): RunEvent[] =>
    stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as RunEvent);

  test('prints a line for each event, with children indented and without control characters', async () => {
    const { stdout, exitCode } = await stand.baton('tail', ids.done);
    expect(exitCode).toBe(0);
    const lines = stdout.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} {2}root {2}agent started, claude-/);
    expect(lines.at(-1)).toMatch(/ {2}root {2}agent completed$/);
    expect(stdout).toMatch(/ {2}root {2}delegation \w{8} started \(dispatch_subagent\): /);
    expect(stdout).toMatch(/\.\d{3} {4}\w{8} {2}session: noteAdded by \w{8} applied \{.*"from below"/);
    expect(stdout).not.toContain('\u001b');
  });

  test('prints JSON lines, and continues from the cursor of any of them', async () => {
    const events = parsed((await stand.command('tail', ids.done, '--json')).stdout);
    const { cursor } = events[4]!;
    const rest = parsed((await stand.command('tail', ids.done, '--json', '--cursor', cursor!)).stdout);
    expect(rest).toEqual(events.slice(5));
    expect((await stand.command('tail', ids.done, '--since', '0s')).stdout).toBe('');
    expect(parsed((await stand.command('tail', ids.done, '--since', '1h', '--json')).stdout)).toEqual(events);
  });

  test('needs neither a worker nor a store', async () => {
    const env = { BATON_STORE_DIR: '/proc/nowhere', BATON_TASK_QUEUE: 'nobody' };
    const { stdout, exitCode } = await stand.batonWith(env, 'tail', ids.done, '--follow');
    expect(exitCode).toBe(0);
    expect(stdout).toContain('agent completed');
  });

  test('follows a run until Ctrl-C, and says how to continue', async () => {
    const tail = stand.startBaton('tail', ids.running, '--follow', '--json');
    while (!tail.stdout.includes('\n')) await new Promise((resolve) => setTimeout(resolve, 50));
    const { exitCode, stdout, stderr } = await tail.kill('SIGINT');
    expect(exitCode).toBe(130);
    const { cursor } = parsed(stdout).at(-1)!;
    expect(stderr).toBe(`Stopped.\nContinue with: baton tail ${ids.running} --follow --cursor ${cursor!}\n`);
  });

  test.each([
    ['is none', 'garbled', 'Invalid cursor.'],
    ['is cut off', undefined, 'Invalid cursor.'],
  ])('refuses a cursor that %s', async (_, given, message) => {
    const [event] = parsed((await stand.command('tail', ids.done, '--json')).stdout);
    const refused = await stand.command('tail', ids.done, '--cursor', given ?? event!.cursor!.slice(0, -9));
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toContain(message);
  });

  test('refuses the cursor of another run, and a run that does not exist', async () => {
    const [event] = parsed((await stand.command('tail', ids.done, '--json')).stdout);
    const other = await stand.command('tail', ids.running, '--cursor', event!.cursor!);
    expect(other).toMatchObject({ exitCode: 2, stdout: '' });
    expect(other.stderr).toContain(`This cursor belongs to run "${ids.done}".`);
    expect(await stand.command('tail', 'no-such-run')).toMatchObject({ exitCode: 1, stdout: '' });
    expect((await stand.command('tail', ids.done, '--since', 'soon')).exitCode).toBe(2);
  });
});
