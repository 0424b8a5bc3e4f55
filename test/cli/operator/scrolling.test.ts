import { spawn } from 'node:child_process';
import { testAddress } from '../../support/harness';
import { batonBin } from '../../support/paths';
import { until } from '../../support/until';
import { RunningCommand } from '../support/process';
import { StandIn } from '../support/stand-in';

const [rows, children] = [12, 18];
const keys = { down: '\u001B[B', end: '\u001B[F', home: '\u001B[H', interrupt: '\u0003' };

/** Rows of a drawing that is taller than the screen: the root, some delegations, and which lines they are. */
const place = (from: number): string => `lines ${from}–${from + 8} of ${children + 1}`;

describe('tree --follow in a terminal with a few rows', () => {
  let standIn: StandIn;
  let followed: RunningCommand;
  /** The delegation that is drawn last. */
  let last: string;
  beforeAll(async () => {
    standIn = await StandIn.start();
    const ids = Array.from({ length: children }, (_, index) => [`child-${index + 10}`, { waits: true }] as const);
    const runId = await standIn.play({ children: Object.fromEntries(ids) });
    last = await until(async () => {
      const drawn = (await standIn.baton('tree', runId)).stdout.match(/child-\d+/g) ?? [];
      return drawn.length === children ? drawn.at(-1) : undefined;
    });
    // A pseudo-terminal: keys that are written to it are pressed.
    const command = `stty rows ${rows} cols 80; exec '${process.execPath}' '${batonBin}' tree ${runId} --follow`;
    followed = new RunningCommand(
      spawn('script', ['--quiet', '--flush', '--command', command, '/dev/null'], {
        cwd: '/',
        env: {
          PATH: process.env['PATH'],
          TERM: 'xterm',
          TEMPORAL_ADDRESS: testAddress(),
          BATON_STORE_DIR: '/nonexistent',
        },
        stdio: ['pipe', 'pipe', 'pipe'],
      }),
    );
  });
  afterAll(async () => {
    if (followed.child.exitCode === null) await followed.kill('SIGKILL');
    await standIn.close();
  });

  const press = async (key: string, expected: string): Promise<string> => {
    const before = followed.stdout.length;
    followed.child.stdin?.write(key);
    return until(() => {
      const since = followed.stdout.slice(before);
      return since.includes(expected) ? since : undefined;
    });
  };

  test('keys scroll what does not fit, the root stays, and Ctrl-C ends it', async () => {
    await followed.printed(place(2));
    expect(followed.stdout).not.toContain(last);
    // Only what changes is drawn again, so the root is not.
    expect(await press(keys.down, place(3))).not.toContain('root');
    expect(await press(keys.end, place(children + 1 - 8))).toContain(last);
    await press(keys.home, place(2));
    expect(Math.max(...frames(followed.stdout))).toBeLessThan(rows);
    await press(keys.interrupt, 'The run continues.');
    await followed.ended;
  });
});

/** Number of lines of every drawing, which a terminal shows at once. */
function frames(output: string): readonly number[] {
  return output.split('\u001B[?2026h').map((frame) => frame.split('\n').length - 1);
}
