import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { say, scriptByTurn, useTool } from '../../testing/scripted-model';
import { RunningCommand } from '../cli/support/process';
import { Stand } from '../cli/support/stand';
import { browserPatienceMs, describeInBrowser, launchBrowser } from '../support/browser';
import { batonBin } from '../support/paths';
import { slack } from '../support/slack';

const words = Array.from({ length: 120 }, (_, index) => `word-${String(index).padStart(3, '0')} `);
const answer = words.join('');
/** The last ones are replaced by the whole turn before everybody has looked. */
const measured = words.length - 30;
/** Each word is an event of its own, so that the wire shows when it was sent. */
const slowly = { chunkSize: words[0]!.length, chunkDelayMs: 40 };

/** When each word was first there, by its number. */
type Times = Map<number, number>;

/** Notes when words are there. Words before the last one are there too, though a screen may show only the end. */
function note(times: Times, text: string): void {
  const last = Math.max(-1, ...[...text.matchAll(/word-(\d{3})/g)].map(([, digits]) => Number(digits)));
  for (let word = last; word >= 0 && !times.has(word); word--) times.set(word, Date.now());
}

/** The wire between the worker and the model. It notes when words pass. */
async function wireTo(url: string, sent: Times): Promise<Server> {
  const server = createServer((near) => {
    const far = connect(Number(new URL(url).port), '127.0.0.1');
    near.pipe(far);
    far.on('data', (bytes: Buffer) => {
      note(sent, bytes.toString('utf8'));
    });
    far.pipe(near);
    for (const socket of [near, far]) socket.on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

describeInBrowser('what a model says, in three places at once', () => {
  const sent: Times = new Map();
  /** What ends what was started, the last one first. */
  const cleanUp: (() => unknown)[] = [];
  let stand: Stand;
  let browser: Browser;
  beforeAll(async () => {
    const script = scriptByTurn(
      useTool('add_note', { text: 'Ready.' }),
      async () => {
        // Until all are looking.
        await looking;
        return useTool('add_note', { text: 'Said.' }, { ...slowly, text: answer });
      },
      say('Done.'),
    );
    stand = await Stand.start(script, { withWorker: false });
    cleanUp.unshift(() => stand.close());
    const wire = await wireTo(stand.model.baseUrl, sent);
    cleanUp.unshift(() => wire.close());
    const { port } = wire.address() as AddressInfo;
    await stand.startWorker({ ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}` });
    browser = await launchBrowser();
    cleanUp.unshift(() => browser.close());
  });
  afterAll(async () => {
    for (const step of cleanUp) await step();
  });

  let look = (): void => undefined;
  const looking = new Promise<void>((resolve) => (look = resolve));

  function endAtLast(command: RunningCommand): void {
    cleanUp.unshift(() => (command.child.exitCode === null ? command.kill('SIGKILL') : undefined));
  }

  /** A command on a screen of its own. */
  function onScreen(args: string, times: Times): RunningCommand {
    const command = `stty rows 40 cols 100; exec '${process.execPath}' '${batonBin}' ${args}`;
    const { cwd, env } = stand.surroundings({ TERM: 'xterm' });
    const child = spawn('script', ['--quiet', '--flush', '--command', command, '/dev/null'], {
      cwd,
      env: { PATH: process.env['PATH'], ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    child.stdout.on('data', (bytes: Buffer) => {
      note(times, bytes.toString('utf8'));
    });
    const running = new RunningCommand(child);
    endAtLast(running);
    return running;
  }

  test('is seen within a second after it was sent, by run --follow, transcript --follow and the page', async () => {
    const runId = stand.newId();
    const seen = { run: new Map() as Times, transcript: new Map() as Times, page: new Map() as Times };
    const run = onScreen(`run "Speak." --id ${runId} --follow`, seen.run);
    await run.printed('1 turn done');
    const transcript = onScreen(`transcript ${runId} --follow`, seen.transcript);
    await transcript.printed('Ready.');
    const ui = stand.startBaton('ui', runId, '--no-open', '--port', '0');
    endAtLast(ui);
    await ui.said('Stop with Ctrl-C.');
    const page = await browser.newPage();
    page.setDefaultTimeout(browserPatienceMs);
    await page.goto(ui.stdout.trim());
    await page.locator('[data-turn="1"]').waitFor();
    look();
    await page.locator('.speaking').waitFor();
    while (seen.page.size < words.length) {
      note(seen.page, await page.evaluate<string>("document.querySelector('.conversation-view').textContent"));
      await delay(20);
    }
    await run.ended;
    await transcript.ended;

    for (const [place, times] of Object.entries(seen)) {
      const lag = (word: number): number => (times.get(word) ?? Infinity) - (sent.get(word) ?? NaN);
      const lags = Array.from({ length: measured }, (_, word) => lag(word)).sort((a, b) => a - b);
      const [median, most] = [lags[lags.length >> 1] ?? NaN, lags.at(-1) ?? NaN];
      process.stderr.write(`${place}: a word is seen after ${median} ms, at most ${most} ms\n`);
      expect([place, median < 1_000 * slack(), most < 2_000 * slack()]).toEqual([place, true, true]);
      // In pieces, not at the end.
      expect(new Set(times.values()).size).toBeGreaterThan(5);
    }
  });
});
