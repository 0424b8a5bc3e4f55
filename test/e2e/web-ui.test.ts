import { randomUUID } from 'node:crypto';
import type { Browser, Locator, Page } from 'playwright-core';
import { workflowPage } from '../../cli/context';
import { agentExecutions, agentsQuery, subtreeQuery } from '../../client/agent/find-agent';
import { startRun } from '../../client/agent/start';
import { defaultLimits } from '../../domain/agent';
import { fail, say, scriptByTurn, useTool } from '../../testing/scripted-model';
import { batch, reasonOf } from '../support/batches';
import { describeInBrowser, launchBrowser, screenshot, webUiStatus } from '../support/browser';
import { byDepth } from '../support/delegation-script';
import { Harness } from '../support/harness';
import { historiesOf, replayAll } from '../support/replay';
import { until } from '../support/until';

const uiUrl = process.env['BATON_TEST_UI'] ?? '';
const runId = `sky-${randomUUID().slice(0, 8)}`;
const root = `run/${runId}`;
const reasons = ['Count the stars.', 'Count the planets.', 'Count the moons.'];

/** Returns the status, type and id in a row of the relationships. */
async function relationship(row: Locator): Promise<string> {
  // Since version 2.54 the style sheet turns the status into capitals, which the text as shown includes.
  const status = await row.getByTestId(webUiStatus).textContent();
  const words = (await row.innerText()).split(/\s+/);
  return [status?.trim(), ...words.filter((word) => /^(\w+Workflow|run\/.*)$/.test(word))].join(' ');
}

describeInBrowser('in the Web UI', () => {
  let harness: Harness;
  let browser: Browser;
  let page: Page;
  /** The delegation that is waiting for an operator. */
  let parked: string;
  let isKeyValid = false;
  /** Requests of the pages to other machines. */
  const strangers: string[] = [];

  beforeAll(async () => {
    harness = await Harness.start(
      byDepth(scriptByTurn(useTool('dispatch_subagents', batch(reasons)), say('Counted.')), (call) =>
        reasonOf(call) === 'Count the planets.' && !isKeyValid ? fail(401, { message: 'bad key' }) : say('Seven.'),
      ),
    );
    await startRun(harness.client, harness.taskQueue, {
      runId,
      goal: 'Count what is in the sky.',
      model: { name: 'claude-sonnet-5-5', maxTokens: 1_000, window: 200_000 },
      limits: { ...defaultLimits, maxTurns: 50 },
      onFailure: 'hold',
    });
    browser = await launchBrowser();
    page = await browser.newPage({ viewport: { width: 1400, height: 1000 } });
    page.on('request', (request) => {
      const { protocol, hostname } = new URL(request.url());
      if (protocol.startsWith('http') && hostname !== '127.0.0.1') strangers.push(request.url());
    });
    parked = await until(async () => {
      const agents = await agentExecutions(harness.client, `${subtreeQuery(root)} AND ${agentsQuery}`);
      if (agents.filter(({ state }) => state === 'COMPLETED').length < 2) return undefined;
      return agents.find(({ batonStatus }) => batonStatus === 'needs_operator')?.workflowId;
    });
  });
  afterAll(async () => {
    await browser.close();
    await harness.close();
  });

  /** Opens a tab of a workflow's page. */
  const open = async (workflowId: string, tab: string): Promise<void> => {
    await page.goto(workflowPage(uiUrl, 'default', workflowId));
    await page.getByRole('tab', { name: tab }).click();
  };
  /** Markdown is rendered in a separate frame. */
  const metadata = (part: 'summary' | 'details' | 'current-details'): Locator =>
    page.frameLocator(`#user-metadata-${part}`).locator('body');
  const shown = async (where: Locator, ...texts: string[]): Promise<void> => {
    for (const text of texts) await where.getByText(text).first().waitFor();
  };

  test('a list filtered by BatonStatus shows only the agent that is waiting for an operator', async () => {
    const query = encodeURIComponent(`BatonStatus="needs_operator" AND BatonRun="${runId}"`);
    await page.goto(`${uiUrl}/namespaces/default/workflows?query=${query}`);
    await page.getByRole('link', { name: parked, exact: true }).waitFor();
    await screenshot(page, 'web-ui-list');
    expect(await page.getByRole('link', { name: new RegExp(`^${root}`) }).count()).toBe(1);
  });

  test('the page of the run shows its goal, its steps, and that an agent below it is waiting', async () => {
    await page.goto(workflowPage(uiUrl, 'default', root));
    await shown(page.locator('body'), 'openRun • compose the prompt', 'runTurn • turn 1', 'shared session', ...reasons);
    await page.getByRole('tab', { name: 'User Metadata' }).click();
    await shown(metadata('summary'), 'Count what is in the sky.');
    await shown(metadata('details'), 'Count what is in the sky.', 'turns: at most 50');
    await shown(metadata('current-details'), 'waiting for an operator below: 1', 'turn 1 of 50', 'of 200000 tokens');
    await metadata('current-details')
      .getByText(/with delegations \(3[^)]*\): \d+ turns, [1-9][\d,]* tokens/)
      .waitFor();
    await screenshot(page, 'web-ui-run');
  });

  test('relationships show the run as a tree, with the status of each agent', async () => {
    await open(root, 'Relationships');
    const rows = page.getByRole('button').filter({ has: page.getByTestId(webUiStatus) });
    await rows.nth(4).waitFor();
    await screenshot(page, 'web-ui-relationships');
    const tree = await Promise.all((await rows.all()).map(relationship));
    expect(tree).toEqual([
      `Running runWorkflow ${root}`,
      `Running delegationWorkflow ${parked}`,
      `Running sessionWorkflow ${root}/session-1`,
      expect.stringMatching(`^Completed delegationWorkflow ${root}/[0-9a-z]{26}$`),
      expect.stringMatching(`^Completed delegationWorkflow ${root}/[0-9a-z]{26}$`),
    ]);
    // The diagram shows the same five workflows.
    expect(await page.locator('svg[role=presentation] rect').count()).toBe(5);
  });

  test('the page of the parked agent shows its task, what failed, and how to answer', async () => {
    await open(parked, 'User Metadata');
    await shown(metadata('summary'), 'Count the planets.');
    const { prompt } = await harness.client.workflow.getHandle(parked).query<{ prompt: { hash: string } }>('snapshot');
    await shown(metadata('current-details'), prompt.hash);
    await metadata('current-details').getByRole('heading', { name: 'Needs an operator: Model.Unauthorized' }).waitFor();
    await shown(
      metadata('current-details'),
      'Set a valid',
      '{"incident":"i1","action":"retry"}',
      `baton retry ${parked} --incident i1`,
      'window: 0 of 200000 tokens',
    );
    await screenshot(page, 'web-ui-parked');
    await page.getByRole('tab', { name: 'Search Attributes' }).click();
    await shown(page.locator('main'), 'BatonStatus', 'needs_operator', 'BatonRun', 'BatonDelegation', 'BatonDepth');
    await screenshot(page, 'web-ui-search-attributes');
  });

  test('the Update dialog explains operatorDecision, refuses a decision that does not apply, and accepts one that does', async () => {
    isKeyValid = true;
    await page.goto(workflowPage(uiUrl, 'default', parked));
    const dialog = page.getByRole('dialog').filter({ hasText: 'Send an Update' });
    await page.getByRole('button', { name: 'More Actions' }).click();
    await page.getByRole('menuitem', { name: 'Send an Update' }).click();
    await dialog.getByTestId('update-select-button').click();
    const offered = dialog.getByRole('option', { name: 'operatorDecision' });
    await shown(offered, 'Answers an open incident: {"incident": "i1", "action": "retry"}.');
    await screenshot(page, 'web-ui-updates');
    await offered.click();
    const submit = async (data: Record<string, string>): Promise<void> => {
      const editor = dialog.locator('[contenteditable=true]');
      await editor.fill(JSON.stringify(data));
      // The editor reformats the JSON when it loses focus, and the button moves.
      await editor.blur();
      await dialog.getByRole('button', { name: 'Submit' }).click();
    };
    await submit({ incident: 'i9', action: 'retry' });
    await shown(dialog, 'i9 is not an open incident. Open: i1 (Model.Unauthorized).');
    await screenshot(page, 'web-ui-refused');
    await submit({ incident: 'i1', action: 'retry', by: 'ada' });
    await dialog.waitFor({ state: 'hidden' });
    await page.goto(workflowPage(uiUrl, 'default', root));
    await page.getByTestId(webUiStatus).getByText('Completed').waitFor();
    await shown(page.locator('main'), '"Counted."');
    await screenshot(page, 'web-ui-completed');
    await replayAll(await historiesOf(harness.client, root));
  });

  test('no page sends requests to another machine', () => {
    expect(strangers).toEqual([]);
  });
});
