import { readFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import type { Page } from 'playwright-core';
import { describeInBrowser, screenshot } from '../../support/browser';
import { agents, conversationSource, type ConversationSource } from '../../support/ui/conversation-source';
import { clipboard, closeBrowser, type OpenPage, openPage } from '../../support/ui/detail-page';
import { forget } from '../../support/ui/page-problems';

const root = [{ id: 'root/role', title: 'Role', level: 1, text: '# Role of the root\n\n' }];
const textOf = (sections: readonly { readonly text: string }[]): string => sections.map(({ text }) => text).join('');
const parent = [
  { id: 'p/role', title: 'Role', level: 1, text: '# Role of the parent\n\n' },
  { id: 'p/parent', title: 'Parent Prompt', level: 2, text: textOf(root), parent: { path: '', bytes: 20 } },
];
const sections = [
  {
    id: 'd/overview',
    title: 'Delegation Overview',
    level: 1,
    text: '# Delegation Overview\n\nYou are one of **three**.\n\n',
  },
  { id: 'd/parent', title: 'Parent Prompt', level: 2, text: textOf(parent), parent: { path: agents.ended, bytes: 40 } },
  { id: 'd/tooling-context', title: 'Tooling Context', level: 2, text: '## Tooling Context\n\n- read_file\n' },
];

describeInBrowser('tabs of an agent', () => {
  let source: ConversationSource;
  let open: OpenPage;
  let page: Page;

  beforeAll(async () => {
    source = conversationSource();
    source.setPrompt('', root);
    source.setPrompt(agents.ended, parent);
    source.setPrompt(agents.eventful, sections);
    const writers = [
      { path: agents.working, turn: 7 },
      { path: agents.ended, turn: 2 },
    ];
    const file = { change: 'changed', added: 1, removed: 1, runs: null, lost: 0, writers } as const;
    source.changedFiles = {
      files: [
        { ...file, path: 'src/a.ts', hunks: [{ oldStart: 12, newStart: 12, lines: [' a', '-b', '+c'] }] },
        { ...file, path: 'src/b.ts', lost: 1, hunks: [{ oldStart: 1, newStart: 1, lines: ['-x', '+y'] }] },
        { ...file, path: 'logo.png', hunks: null, added: 0, removed: 0 },
      ],
    };
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

  test('the prompt is shown as it was sent, with the parts of the parents folded twice', async () => {
    await open.go(agents.eventful, 'tab=prompt');
    const text = page.locator('.prompt-text');
    await text.getByText('# Delegation Overview').waitFor();
    expect(await text.innerText()).toContain('You are one of **three**.');
    expect(await text.innerText()).not.toContain('Role of the parent');
    await text.locator('.parent-prompt > summary').first().click();
    await text.getByText('# Role of the parent').waitFor();
    expect(await text.innerText()).not.toContain('Role of the root');
    await text.locator('.parent-prompt .parent-prompt > summary').click();
    await text.getByText('# Role of the root').waitFor();
    await screenshot(page, 'tab-prompt');

    const footer = page.locator('.prompt-footer');
    await footer.getByText('this text has this hash').waitFor();
    await footer.getByRole('button', { name: 'Copy the prompt' }).click();
    const copied = await clipboard(page);
    expect(copied).toBe(sections.map((section) => section.text).join(''));
    const hash = await footer.locator('.hash').getAttribute('title');
    expect(createHash('sha256').update(copied).digest('hex')).toBe(hash);
    await footer.getByRole('button', { name: 'Rendered' }).click();
    await text.locator('strong', { hasText: 'three' }).waitFor();

    await open.go(agents.eventful, 'tab=prompt&s=d/tooling-context');
    await page.locator('.prompt-part.target', { hasText: 'Tooling Context' }).waitFor();
  });

  test('files are diffs in two layouts, with writers and lost changes, and nothing is written', async () => {
    await open.go(agents.eventful, 'tab=files');
    await page.getByRole('navigation', { name: 'Changed files' }).getByText('3 files').waitFor();
    await page.locator('.diff tr.diff-added', { hasText: 'added: c' }).waitFor();
    expect(await page.locator('.writers').innerText()).toMatch(/^\w{8} turn 7, then \w{8} turn 2$/);
    await page.getByRole('button', { name: 'src/b.ts' }).click();
    await page.getByText('1 change of another agent was replaced by a later one.').waitFor();
    await page.getByRole('button', { name: '2 columns' }).click();
    expect(await page.locator('.columns-2 tbody tr').nth(1).innerText()).toMatch(
      /1\s+−\s+removed:\s+x\s+1\s+\+\s+added:\s+y/,
    );
    await screenshot(page, 'tab-files');
    await page.getByRole('button', { name: 'logo.png' }).click();
    await page.getByText('This file is not text.').waitFor();
    await page.getByRole('button', { name: 'Copy baton apply r-conversation' }).click();
    expect(await clipboard(page)).toBe('baton apply r-conversation');
    await open.go(agents.eventful, 'tab=files&f=src/b.ts');
    await page.locator('.file-header h3', { hasText: 'src/b.ts' }).waitFor();
    expect(open.writes).toEqual([]);
  });

  test('artifacts, budget and events', async () => {
    await open.go('', 'tab=artifacts&f=PLAN.md');
    await page.locator('.artifact-text ol li', { hasText: 'Read' }).waitFor();
    await page.locator('tr.missing', { hasText: 'report.json' }).getByText('missing').waitFor();
    await open.go('', 'tab=budget');
    await page.locator('.budget-row', { hasText: 'Cost' }).waitFor();
    expect(await page.locator('.budget-bar').first().getAttribute('aria-label')).toMatch(/own \$.*below \$.*free \$/);
    await page.locator('.where-row a').first().waitFor();
    await screenshot(page, 'tab-budget');
    await open.go(agents.eventful, 'tab=events');
    await page.locator('.event > summary').first().click();
    await page.locator('.event .json-fields', { hasText: 'turn' }).waitFor();
  });

  test('an artifact that is not text is saved byte for byte', async () => {
    const bytes = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0xff, 0xc3, 0x28]);
    const hash = createHash('sha256').update(bytes).digest('hex');
    const image = { name: 'image.png', path: '', turn: 1, bytes: bytes.length, hash, mediaType: 'image/png' };
    source.artifacts = () => Promise.resolve({ artifacts: [{ ...image, isExpected: false, text: null }] });
    const { blob } = source;
    source.blob = (run, wanted) => (wanted === hash ? Promise.resolve(bytes) : blob.call(source, run, wanted));
    await open.go(agents.ended, 'tab=artifacts&f=image.png');
    await page.getByText('image.png is too large to show, or is not text. It can be saved.').waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save image.png' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('image.png');
    expect(await readFile(await download.path())).toEqual(bytes);
  });

  test('tabs are chosen with arrow keys, and what fails says so in its pane', async () => {
    await open.go(agents.eventful);
    await page.getByRole('tab', { name: 'Conversation' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.locator('.prompt-text').waitFor();
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Prompt');
    expect(page.url()).toContain('tab=prompt');
    source.files = () => Promise.reject(new Error('the disk is gone'));
    await open.go(agents.ended, 'tab=files');
    await page.locator('.tab-panel [role=alert]').getByRole('button', { name: 'Try again' }).waitFor();
    forget(open.problems, /500 .*\/files\)$/);
    delete (source as Partial<ConversationSource>).files;
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('3 files').waitFor();
  });
});
