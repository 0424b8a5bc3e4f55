import type { Page } from 'playwright-core';
import { describeInBrowser } from '../../support/browser';
import {
  agents,
  call,
  conversationSource,
  type ConversationSource,
  runId,
  turn,
} from '../../support/ui/conversation-source';
import { closeBrowser, drawn, type OpenPage, openPage, processorTime } from '../../support/ui/detail-page';
import { until } from '../../support/until';

const hostile = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '"><svg/onload=alert(1)>',
  "'-alert(1)-'",
  '</title></style></script><iframe src="javascript:alert(1)">',
  '![cat](https://evil.example/cat.png)',
  '[click](javascript:alert(1)) [data](data:text/html,<script>alert(1)</script>)',
  '<a href="javascript:alert(1)" onclick="alert(1)">x</a>',
  '{{constructor.constructor("alert(1)")()}} ${alert(1)}',
  'user\u202Etxt.exe\u200b\u0007',
].join('\n');
const oneLine = hostile.replaceAll('\n', ' ');

/** Inputs that parsers of markdown or code take long for. */
const slow: readonly (readonly [name: string, make: (size: number) => string])[] = [
  ['_a_b', (size) => '_a_b '.repeat(size / 5)],
  ['a@', (size) => `${'a'.repeat(size)}@`],
  ['headings', (size) => 'a\n-\n'.repeat(size / 4)],
  ['quotes', (size) => '>'.repeat(size)],
  ['lists', (size) => '1. '.repeat(size / 3)],
  ['images', (size) => '!['.repeat(size / 2)],
  ['one word', (size) => 'w'.repeat(size)],
  ['line feeds', (size) => '\n'.repeat(size)],
  ['regular expressions', (size) => `\`\`\`js\n${'/[a-'.repeat(size / 4)}\n\`\`\``],
  ['templates', (size) => `\`\`\`ts\n${'`${'.repeat(size / 3)}\n\`\`\``],
];

describeInBrowser('hostile texts in the page', () => {
  let source: ConversationSource;
  let open: OpenPage;
  let page: Page;

  beforeAll(async () => {
    source = conversationSource();
    const file = { change: 'changed', added: 1, removed: 0, lost: 1 } as const;
    source.changedFiles = {
      files: [
        {
          ...file,
          path: oneLine,
          runs: oneLine,
          writers: [{ path: agents.working, turn: 1 }],
          hunks: [{ oldStart: 1, newStart: 1, lines: [`+${oneLine}`] }],
        },
      ],
    };
    source.setPrompt(agents.eventful, [{ id: oneLine, title: oneLine, level: 1, text: hostile }]);
    source.say(agents.eventful, [
      turn(5, {
        thinking: [{ text: hostile }],
        text: [{ text: hostile }, { text: `\`\`\`html\n${hostile}\n\`\`\`\n\n    ${oneLine}` }],
        calls: [call('hostile', oneLine, { path: hostile, [oneLine]: hostile, deep: { a: { b: hostile } } }, hostile)],
      }),
      { kind: 'message', from: 'operator', at: null, text: { text: hostile } },
      { kind: 'decision', at: null, text: oneLine },
    ]);
    source.push(runId, {
      rows: [
        {
          path: agents.eventful,
          headline: oneLine,
          role: oneLine,
          detail: oneLine,
          failure: { type: oneLine, message: hostile },
          model: oneLine,
        },
      ],
    });
    source.raise(runId, {
      path: agents.eventful,
      kind: 'approval',
      type: oneLine,
      tool: oneLine,
      message: hostile,
      argumentsText: JSON.stringify({ [oneLine]: hostile }),
    });
    source.raise(runId, {
      path: agents.eventful,
      id: 'i2',
      kind: 'question',
      type: oneLine,
      message: hostile,
      options: [oneLine],
    });
    open = await openPage(source);
    page = open.page;
  });
  afterAll(async () => {
    await open.close();
    await closeBrowser();
  });

  test('are text in every field: no element, no request and no dialog comes from them', async () => {
    for (const params of [
      '',
      'c=hostile&t=5',
      'tab=prompt',
      'tab=files',
      'tab=artifacts&f=PLAN.md',
      'tab=budget',
      'tab=events',
      'i=i2',
    ]) {
      await open.go(agents.eventful, params);
      await drawn(page);
      if (params.startsWith('c=')) {
        await page.locator('.thinking > summary').last().click();
        await page.locator('.call-body').first().waitFor();
      }
      if (params === 'tab=prompt') await page.getByRole('button', { name: 'Rendered' }).click();
      if (params === 'tab=events') await page.locator('.event > summary').first().click();
      await drawn(page);
      const found = await page.evaluate<string[]>(`[...document.querySelectorAll('*')].flatMap((element) => {
        const handlers = [...element.attributes].filter(({ name }) => name.startsWith('on')).map(({ name }) => name);
        const isOurs = element.tagName === 'SCRIPT' && element.parentElement === document.body;
        const kinds = ['SCRIPT', 'IMG', 'IFRAME', 'OBJECT', 'EMBED', 'LINK', 'BASE', 'FORM'].filter(
          (tag) => element.tagName === tag && !isOurs && element.rel !== 'icon' && element.role !== 'search',
        );
        const href = element.getAttribute('href') ?? '';
        return [...handlers, ...kinds, ...(/^\\s*(javascript|data|vbscript):/i.test(href) && element.rel !== 'icon' ? [href] : [])];
      })`);
      expect([params, found]).toEqual([params, []]);
    }
    expect(await page.title()).not.toContain('alert');
    await open.go(agents.eventful, 't=5');
    const text = page.locator('[data-turn="5"] .markdown').first();
    await text.waitFor();
    expect(await text.innerText()).toContain('<script>alert(1)</script>');
    expect(await text.innerText()).toContain('[image: cat → evil.example]');
    expect(await text.innerText()).toContain('[click](javascript:alert(1))');
    expect(await text.locator('.invisible-mark').allInnerTexts()).toEqual(['U+202E', 'U+200B', 'U+0007']);
    expect(open.problems).toEqual([]);
  });

  test.each([16, 64, 100])('of %i kB that are slow to read stay complete, and do not stop the page', async (size) => {
    await open.go(agents.working);
    const spent = await processorTime(page);
    for (const [name, make] of slow) {
      const text = make(size * 1_000);
      const number = source.turnsOf(agents.working) + 1;
      source.say(agents.working, [turn(number, { text: [{ text }] })]);
      const shown = page.locator(`[data-turn="${number}"] .markdown`);
      await shown.waitFor({ state: 'attached' });
      await page.keyboard.press('End');
      await drawn(page);
      await drawn(page);
      // All tasks together, so each of them.
      expect([name, (await spent()) < 1_000]).toEqual([name, true]);
      // What is not drawn as markdown is complete as it is; code keeps its characters too.
      const letters = (whole: string): number => whole.replace(/[^\w[@`$]/g, '').length;
      const content = await until(async () => (await shown.textContent()) ?? undefined);
      if (!['_a_b', 'headings', 'quotes', 'lists', 'line feeds'].includes(name))
        expect([name, letters(content) >= letters(text) - 12]).toEqual([name, true]);
    }
    expect(open.problems).toEqual([]);
  });
});
