import type { Page } from 'playwright-core';
import { describeInBrowser, screenshot } from '../../support/browser';
import { until } from '../../support/until';
import {
  agents,
  call,
  conversationSource,
  type ConversationSource,
  runId,
  turn,
  turns,
} from '../../support/ui/conversation-source';
import {
  clipboard,
  closeBrowser,
  distanceFromEnd,
  drawn,
  firstTurn,
  longestTask,
  type OpenPage,
  openPage,
  wheel,
} from '../../support/ui/detail-page';

const shownTurn = (page: Page, name: string): Promise<void> => page.locator(`[data-turn="${name}"]`).waitFor();

describeInBrowser('a conversation in the page', () => {
  let source: ConversationSource;
  let open: OpenPage;
  let page: Page;

  beforeAll(async () => {
    source = conversationSource();
    open = await openPage(source);
    page = open.page;
  });
  afterAll(async () => {
    await open.close();
    await closeBrowser();
  });
  afterEach(() => {
    expect(open.problems).toEqual([]);
  });

  test('opens at the end of a running agent, stays there, and moves nothing that is read', async () => {
    await open.go(agents.working);
    await shownTurn(page, '40');
    expect(await distanceFromEnd(page)).toBeLessThan(2);
    source.say(agents.working, turns(20, 41));
    await shownTurn(page, '60');
    await drawn(page);
    expect(await distanceFromEnd(page)).toBeLessThan(2);

    await wheel(page, -300);
    const before = await firstTurn(page);
    await page.evaluate(`getSelection().selectAllChildren(document.querySelector('[data-turn="${before.turn}"] p'))`);
    const selected = await page.evaluate<string>('getSelection().toString()');
    source.say(agents.working, turns(20, 61));
    await page.locator('.pill', { hasText: '20 new turns' }).waitFor();
    expect(await firstTurn(page)).toEqual(before);
    expect(await page.evaluate('getSelection().toString()')).toBe(selected);
    expect(selected).toContain('looks at package');
    await screenshot(page, 'conversation-not-following');

    // Content that becomes smaller, so that the view is at its end, is not a reader who comes back.
    await page.evaluate('getSelection().removeAllRanges()');
    await page.evaluate("for (const each of [...document.querySelectorAll('.turn')].slice(-21)) each.hidden = true");
    await drawn(page);
    source.say(agents.working, turns(1, 81));
    await page.locator('.pill', { hasText: '21 new turns' }).waitFor();
    await page.evaluate("for (const each of document.querySelectorAll('.turn')) each.hidden = false");
  });

  test('follows again after the pill, the key End, and scrolling to the end', async () => {
    await page.locator('.pill').click();
    expect(await distanceFromEnd(page)).toBeLessThan(2);
    for (const back of [() => page.keyboard.press('End'), () => wheel(page, 5_000)]) {
      await wheel(page, -900);
      expect(await distanceFromEnd(page)).toBeGreaterThan(300);
      await back();
      await drawn(page);
      source.say(agents.working, turns(1, source.turnsOf(agents.working) + 1));
      await shownTurn(page, String(source.turnsOf(agents.working)));
      await drawn(page);
      expect(await distanceFromEnd(page)).toBeLessThan(2);
    }
    expect(await page.locator('.pill').count()).toBe(0);
  });

  test('opens a closed agent at its beginning; more turns load in both directions without a jump', async () => {
    await open.go(agents.ended);
    await shownTurn(page, '1');
    expect(await page.evaluate("document.querySelector('.conversation-view').scrollTop")).toBe(0);
    expect(await page.locator('.turn').count()).toBeLessThan(60);
    for (let step = 0; step < 30 && (await page.locator('[data-turn="110"]').count()) === 0; step += 1)
      await wheel(page, 3_000);
    await shownTurn(page, '110');

    // A link into the middle loads the page around it; older ones come when scrolled up.
    await page.reload();
    await open.go(agents.ended, 't=100');
    await shownTurn(page, '100');
    await page.locator('[data-turn="100"].outlined').waitFor();
    await page.locator('[data-turn="100"].outlined').waitFor({ state: 'detached' });
    expect((await firstTurn(page)).turn).toBe('99');
    expect(await page.evaluate("getComputedStyle(document.querySelector('.conversation-view')).overflowAnchor")).toBe(
      'none',
    );
    for (let step = 0; step < 60 && (await page.locator('[data-turn="40"]').count()) === 0; step += 1) {
      await wheel(page, -200);
      const before = await firstTurn(page);
      await drawn(page);
      expect(await firstTurn(page)).toEqual(before);
    }
    await shownTurn(page, '40');
  });

  test('an opened call stays where it is, is mounted only then, and shows what was sent', async () => {
    await open.go(agents.eventful);
    const row = page.locator('[data-call="edit-1"] > summary');
    await row.waitFor();
    expect(await page.locator('.call-body').count()).toBe(0);
    await expect(page.locator('[data-call="read-1"] .call-outcome').textContent()).resolves.toBe(
      'failed: no such file: test/a.ts',
    );
    await expect(page.locator('[data-call="grep-1"] summary').textContent()).resolves.toMatch(
      /grep"skip" in test\/14 lines/,
    );
    const before = await row.boundingBox();
    await row.click();
    const fields = page.locator('[data-call="edit-1"] .json-fields').first();
    await fields.waitFor();
    expect((await row.boundingBox())?.y).toBe(before?.y);
    expect(await fields.locator('dd').nth(1).innerText()).toBe('const a = 1;\nconst b = 2;');
    await page.locator('[data-call="edit-1"]').getByRole('button', { name: 'JSON' }).first().click();
    const sent = JSON.stringify({
      path: 'src/index.ts',
      old_text: 'const a = 1;\nconst b = 2;',
      new_text: 'const a = 1;\nconst b = 3;\nconst c = 4;',
    });
    expect(await page.locator('[data-call="edit-1"] pre').first().innerText()).toBe(sent);
    await page.locator('[data-call="edit-1"]').getByRole('button', { name: 'Copy the arguments' }).click();
    expect(await clipboard(page)).toBe(sent);
    await screenshot(page, 'conversation-call');

    // Neither what a parser would change of a text nor what can't be seen in it is lost on the way to the clipboard.
    const odd = '{ "size":1.0,\n  "id": 12345678901234567890, "size": 2e0, "path":"a\u202eb\\u00e9\u200b.ts" }';
    const result = `${odd}\r\n\t`;
    const number = source.turnsOf(agents.working) + 1;
    const given = { arguments: { text: odd }, result: { text: result, isError: false } };
    source.say(agents.working, [turn(number, { calls: [call('odd', 'read_file', {}, '', given)] })]);
    await open.go(agents.working, 'c=odd');
    const body = page.locator('[data-call="odd"] .call-body');
    for (const [what, text] of [
      ['the arguments', odd],
      ['the result', result],
    ] as const) {
      await body.getByRole('button', { name: `Copy ${what}` }).click();
      await until(async () => (await clipboard(page)) === text || undefined);
    }
  });

  test('a result of 5 MB is its beginning until somebody wants all of it', async () => {
    const line = 'x'.repeat(120);
    const whole = Array.from({ length: 43_000 }, (_, index) => `${index} ${line}`).join('\n');
    const result = { ...source.store(whole), isError: false };
    source.say(agents.working, [
      turn(source.turnsOf(agents.working) + 1, {
        calls: [call('huge', 'run_command', { command: 'cat' }, '', { result })],
      }),
    ]);
    await open.go(agents.working, 'c=huge');
    const body = page.locator('[data-call="huge"] .call-body');
    await body.getByText('The first 4.0 KiB of 5.2 MiB are shown.').waitFor();
    const longest = await longestTask(page, async () => {
      await body.getByRole('button', { name: 'show all' }).click();
      await body.locator('.huge-text[aria-busy="false"]').waitFor();
      await drawn(page);
    });
    expect(await page.locator('[data-call=huge] .huge-piece').count()).toBeGreaterThan(100);
    const shown = await page.evaluate<string>(
      "[...document.querySelectorAll('[data-call=huge] .huge-piece')].map((piece) => piece.textContent).join('\\n')",
    );
    expect(shown === whole).toBe(true);
    expect(longest).toBeLessThan(100);
  });

  test('handoffs, resets, messages and decisions stand where they happened, with names', async () => {
    await open.go(agents.eventful);
    await shownTurn(page, '4');
    const names = await page
      .locator('.entry')
      .evaluateAll((entries) =>
        (entries as unknown as { getAttribute(name: string): string }[]).map((entry) =>
          entry.getAttribute('aria-label'),
        ),
      );
    expect(names).toEqual([
      'Start of the conversation',
      'Turn 1, 8.4 seconds, 3 tool calls, 1 failed',
      'Message of an operator',
      'Turn 2, 8.4 seconds',
      'Handoff 1 after turn 2: 58k tokens became 640 in HANDOFF.md (91 : 1)',
      'Turn 3.1, replaced by a reset, 8.4 seconds',
      'Reset to before turn 3 by ada: the archive was wrong',
      'Turn 3, 8.4 seconds',
      'i1 (Model.RateLimited): retry by ada, the quota is back',
      'Turn 4, 8.4 seconds',
    ]);
    expect(await page.locator('[role="feed"] > article').count()).toBe(names.length);
    await open.go(agents.eventful, 't=3.1');
    await page.locator('[data-turn="3.1"].outlined').waitFor();
    await screenshot(page, 'conversation-eventful');
  });

  test('keys go from turn to turn and from call to call, and open them', async () => {
    const focused = (): Promise<string> =>
      page.evaluate<string>(
        "document.activeElement.closest('[data-call]')?.dataset.call ?? document.activeElement.dataset.turn ?? ''",
      );
    await page.keyboard.press(']');
    expect(await focused()).toBe('3');
    await page.keyboard.press('[');
    await page.keyboard.press('[');
    await page.keyboard.press('[');
    expect(await focused()).toBe('1');
    await page.keyboard.press('}');
    await page.keyboard.press('}');
    expect(await focused()).toBe('read-1');
    await page.keyboard.press('{');
    expect(await focused()).toBe('grep-1');
    await page.keyboard.press('o');
    await page.locator('[data-call="grep-1"][open] .call-body').waitFor();
    await page.keyboard.press('O');
    await page.locator('[data-call="read-1"][open] .call-body').waitFor();
    await page.keyboard.press('O');
    await page.locator('[data-call="read-1"]:not([open])').waitFor();
  });

  test('a delegation leads to its agents, and the way back to the same place', async () => {
    await open.go('', 't=2&c=call-2');
    const line = page.locator('.delegation-line');
    await line.getByRole('link', { name: 'open 5 agents' }).waitFor();
    expect(await line.locator('.state-bar').getAttribute('aria-label')).toContain('running');
    await open.go(agents.ended);
    await shownTurn(page, '1');
    await wheel(page, 1_700);
    const before = await firstTurn(page);
    await page.locator(`[data-turn="${Number(before.turn) + 1}"] .turn-link`).click();
    await page.locator('.outlined').waitFor();
    // Momentum: what is left still scrolls while the reader goes back.
    await page.evaluate(
      "addEventListener('popstate', () => (document.querySelector('.conversation-view').scrollTop += 50), { once: true })",
    );
    await page.goBack();
    await until(() => !page.url().includes('t=') || undefined);
    await drawn(page);
    const after = await firstTurn(page);
    expect(after.turn).toBe(before.turn);
    expect(Math.abs(after.top - before.top)).toBeLessThanOrEqual(2);
  });

  test('what the model is saying appears while it speaks, and gives way to the turn', async () => {
    await open.go(agents.working);
    await page.keyboard.press('End');
    const number = source.turnsOf(agents.working) + 1;
    const reply = {
      turn: number,
      attempt: 1,
      startedAt: new Date().toISOString(),
      thinking: 'Where is it?',
      text: '',
      calling: [],
    };
    source.spoken.set(`${runId}/${agents.working}`, reply);
    await page.locator('.speaking', { hasText: 'Where is it?' }).waitFor();
    source.spoken.set(`${runId}/${agents.working}`, {
      ...reply,
      text: 'The licence is **MIT**',
      calling: ['write_file'],
    });
    await page.locator('.speaking strong', { hasText: 'MIT' }).waitFor();
    await page.locator('.speaking', { hasText: 'calls write_file' }).waitFor();
    source.say(agents.working, [turn(number)]);
    await shownTurn(page, String(number));
    await page.locator('.speaking').waitFor({ state: 'detached' });
    expect(await distanceFromEnd(page)).toBeLessThan(2);
  });
});
