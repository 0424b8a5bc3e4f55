import type { Locator, Page } from 'playwright-core';
import type { ViewIncident } from '../../../client/view/run-view';
import { describeInBrowser, screenshot } from '../../support/browser';
import { agents, conversationSource, type ConversationSource, runId } from '../../support/ui/conversation-source';
import { closeBrowser, drawn, type OpenPage, openPage } from '../../support/ui/detail-page';
import { forget, lostConnection } from '../../support/ui/page-problems';
import { until } from '../../support/until';

const path = agents.working;
const lines = Array.from({ length: 500 }, (_, line) => `line ${line}`).join('\n');

describeInBrowser('deciding in the page', () => {
  let source: ConversationSource;
  let open: OpenPage;
  let page: Page;
  let number = 0;

  beforeAll(async () => {
    source = conversationSource();
    open = await openPage(source);
    page = open.page;
    await open.go(path);
  });
  afterAll(async () => {
    await open.close();
    await closeBrowser();
  });
  afterEach(() => {
    expect(open.problems).toEqual([]);
    source.refusal = undefined;
  });

  /** Opens an incident and waits until its card can be used. */
  async function raise(more: Partial<ViewIncident> = {}): Promise<Locator> {
    number += 1;
    source.raise(runId, { path, id: `i${number}`, ...more });
    const card = page.locator(`[data-incident="i${number}"]`);
    await card.waitFor();
    await card.locator('.decision-buttons .button:not([aria-disabled])').first().waitFor();
    return card;
  }
  const press = (card: Locator, name: string): Promise<void> =>
    card.locator('.decision-buttons').getByRole('button', { name, exact: true }).click();
  const lastCommand = (): unknown => source.commands.at(-1)?.body;
  const recorded = (card: Locator, words: string): Promise<void> =>
    card.filter({ hasText: `${words}, recorded at` }).waitFor();

  test('every decision reaches the agent, and is shown when it is recorded', async () => {
    const retried = await raise();
    await retried.getByLabel('Note (optional)').fill('the quota is back');
    await screenshot(page, 'incident');
    await press(retried, 'Retry');
    await recorded(retried, 'retry');
    expect(lastCommand()).toEqual({ agent: path, action: 'retry', incident: 'i1', note: 'the quota is back' });

    const amended = await raise();
    await press(amended, 'Amend…');
    await press(amended, 'Amend');
    await amended.getByRole('alert').filter({ hasText: 'Change at least one thing.' }).waitFor();
    await amended.getByLabel('Another model').fill('claude-opus-5');
    await amended.getByLabel('More turns').fill('20');
    await screenshot(page, 'incident-amend');
    await press(amended, 'Amend');
    await recorded(amended, 'amend');
    expect(lastCommand()).toMatchObject({ amendment: { model: { name: 'claude-opus-5' }, budget: { turns: 20 } } });

    const skipped = await raise();
    await press(skipped, 'Skip with a result…');
    await skipped.getByLabel('Result that is used instead').fill('nothing is known');
    await press(skipped, 'Skip with a result');
    await recorded(skipped, 'skip');
    expect(lastCommand()).toMatchObject({ action: 'skip', placeholder: 'nothing is known' });

    const denied = await raise({ kind: 'toolRequest', type: 'Tool.Requested', tool: 'run_command' });
    await press(denied, 'Deny…');
    await denied.getByLabel('Reason, which the agent reads').fill('too dangerous');
    await press(denied, 'Deny');
    await recorded(denied, 'deny');
    expect(lastCommand()).toMatchObject({ action: 'deny', note: 'too dangerous' });

    const asked = await raise({
      kind: 'question',
      type: 'Agent.Question',
      message: 'Which list?',
      options: ['SPDX', 'ours'],
    });
    await press(asked, 'Send answer');
    await asked.getByRole('alert').filter({ hasText: 'Write or choose an answer.' }).waitFor();
    await asked.getByLabel('ours').check();
    await press(asked, 'Send answer');
    await recorded(asked, 'answer');
    expect(lastCommand()).toMatchObject({ action: 'answer', text: 'ours' });
  });

  test('an abort needs two clicks, and names what ends', async () => {
    const card = await raise();
    const sent = source.commands.length;
    await press(card, 'Abort…');
    await card.getByText(/^Ends [0-9a-z]{8}\. Its failure goes to the root\. 0 agents below end with it\.$/).waitFor();
    expect(source.commands.length).toBe(sent);
    await press(card, 'Keep waiting');
    await press(card, 'Abort…');
    await press(card, 'Abort');
    await recorded(card, 'abort');
  });

  test('all arguments of a call are shown, with the buttons in view, and buttons wake late', async () => {
    number += 1;
    source.raise(runId, {
      path,
      id: `i${number}`,
      kind: 'approval',
      type: 'Tool.NeedsApproval',
      tool: 'run_command',
      argumentsText: JSON.stringify({ command: 'sh', script: lines, deep: { a: { b: { c: { d: 'end' } } } } }),
    });
    const card = page.locator(`[data-incident="i${number}"]`);
    const approve = card.getByRole('button', { name: 'Approve', exact: true });
    await approve.waitFor();
    expect(await approve.getAttribute('title')).toBe('The card has just appeared.');
    const before = source.commands.length;
    await approve.click({ force: true });
    await card.locator('.button.primary:not([aria-disabled])').waitFor();
    expect(source.commands.length).toBe(before);
    const text = await card.locator('.json-fields').first().innerText();
    expect(text).toContain('line 499');
    expect(text).toMatch(/d\s+end/);
    for (const width of [1440, 900, 390]) {
      await page.setViewportSize({ width, height: width === 390 ? 844 : 900 });
      await drawn(page);
      const box = await approve.boundingBox();
      expect(box?.y ?? 9_999).toBeLessThan((width === 390 ? 844 : 900) - 28);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      await screenshot(page, `incident-approval-${width}`);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
    await card.getByLabel('also decide so about further such calls').check();
    await card.getByLabel('approve with other arguments').check();
    await card.getByLabel('Arguments as JSON').fill('{"command":"true"}');
    await approve.click();
    await recorded(card, 'approve');
    expect(lastCommand()).toMatchObject({ action: 'approve', always: true, edit: { command: 'true' } });
  });

  test('a refusal is shown in the words of the agent, and the card stays usable', async () => {
    const card = await raise();
    source.refusal = 'i9 was answered by bob (skip) at 14:25.';
    await press(card, 'Retry');
    await card.getByText('The agent says: i9 was answered by bob (skip) at 14:25.').waitFor();
    source.refusal = undefined;
    await press(card, 'Retry');
    await recorded(card, 'retry');
  });

  test('an incident that is answered elsewhere says by whom', async () => {
    const card = await raise();
    const at = new Date().toISOString();
    source.say(path, [{ kind: 'decision', at, text: `i${number} (Model.RateLimited): skip by bob` }]);
    source.push(runId, { incidents: [], rows: [{ path, state: 'running', detail: 'thinking' }] });
    await card
      .filter({ hasText: `i${number} was answered elsewhere` })
      .filter({ hasText: 'skip by bob' })
      .waitFor();
    await card.getByRole('button', { name: 'Dismiss', exact: true }).click();
    await card.waitFor({ state: 'detached' });
  });

  test('a draft survives an update, a lost connection and a reload; without a server nothing can be sent', async () => {
    const card = await raise();
    await press(card, 'Skip with a result…');
    const field = card.getByLabel('Result that is used instead');
    await field.fill('half a sen');
    source.push(runId, { rows: [{ path, detail: 'Model.Overloaded' }] });
    await page.locator('.agent-facts', { hasText: 'Model.Overloaded' }).waitFor();
    expect(await field.inputValue()).toBe('half a sen');

    await open.disconnect();
    const skip = card.locator('.decision-buttons .button.primary');
    await until(async () => ((await skip.getAttribute('aria-disabled')) === 'true' ? true : undefined));
    await card.getByText('The server does not answer.').waitFor();
    await field.fill('half a sentence');
    await open.reconnect();
    await until(async () => ((await skip.getAttribute('aria-disabled')) === null ? true : undefined));
    expect(await field.inputValue()).toBe('half a sentence');

    await page.reload();
    await field.waitFor();
    expect(await field.inputValue()).toBe('half a sentence');
    forget(open.problems, lostConnection);
  });

  test('buttons are off without a worker, with the reason', async () => {
    source.push(runId, { gaps: ['No worker answers on queue baton-tools: progress is unknown.'] });
    const card = page.locator(`[data-incident="i${number}"]`);
    await card.getByText('Nobody answers for the agents. Start a worker: baton worker').waitFor();
    const buttons = card.locator('.decision-buttons .button');
    expect(await buttons.first().getAttribute('aria-disabled')).toBe('true');
    source.push(runId, { gaps: [] });
    await card.locator('.decision-buttons .button:not([aria-disabled])').first().waitFor();
  });

  test('all that failed the same way are retried after a confirmation', async () => {
    source.raise(runId, { path: agents.eventful, id: 'i1', alike: 1 });
    source.push(runId, { incidents: source.view(runId).incidents.map((each) => ({ ...each, alike: 1 })) });
    const card = page.locator(`[data-incident="i${number}"]`);
    await press(card, 'Keep waiting').catch(() => undefined);
    const before = source.commands.length;
    await card.getByRole('button', { name: 'Retry all 2…' }).click();
    expect(source.commands.length).toBe(before);
    await card.getByRole('button', { name: 'Retry 2 agents' }).click();
    await until(() => (source.view(runId).incidents.length === 0 ? true : undefined));
    expect(source.commands.slice(before).map(({ body }) => body['agent'])).toEqual(
      expect.arrayContaining([path, agents.eventful]),
    );
  });

  test('an agent is paused, steered and resumed, and a run is cancelled', async () => {
    const controls = page.locator('.agent-header .controls');
    await controls.getByRole('button', { name: 'Pause' }).click();
    await controls.getByText('Pausing.').waitFor();
    await controls.getByRole('button', { name: 'Steer…' }).click();
    await controls.getByLabel('Message that the model receives with its next turn').fill('Use the archive.');
    await controls.getByRole('button', { name: 'Send' }).click();
    await controls.getByText('The message is sent with the next turn.').waitFor();
    expect(source.commands.at(-1)).toMatchObject({ name: 'steer', body: { agent: path, text: 'Use the archive.' } });
    source.push(runId, { rows: [{ path, state: 'paused', detail: '' }] });
    await controls.getByRole('button', { name: 'Resume' }).click();
    await until(() => (source.commands.at(-1)?.name === 'resume' ? true : undefined));
    await open.go('');
    const sent = source.commands.length;
    await controls.getByRole('button', { name: 'Cancel…' }).click();
    await controls.getByText('Ends the whole run, with').waitFor();
    expect(source.commands.length).toBe(sent);
    await controls.getByRole('button', { name: 'Cancel the run' }).click();
    await controls.getByText('Cancelling.').waitFor();
    expect(source.commands.at(-1)).toMatchObject({ name: 'cancel', body: { agent: '' } });
    await open.go(path);
  });

  test('with --read-only, nothing can be decided', async () => {
    source.raise(runId, { path, id: 'i99' });
    const other = await openPage(source, runId, { readOnly: true });
    await other.go(path, 'i=i99');
    await other.page
      .locator('[data-incident="i99"]')
      .getByText('This page was started with --read-only.')
      .first()
      .waitFor();
    await other.close();
  });
});
