import type { Locator } from 'playwright-core';
import { type AgentTree, createBaton, type RunHandle } from '../../client';
import { hang, refuse, say, type Script, scriptByTurn, useTool } from '../../testing/scripted-model';
import { batch, reasonOf } from '../support/batches';
import { describeInBrowser } from '../support/browser';
import { byDepth } from '../support/delegation-script';
import { Harness } from '../support/harness';
import { closeBrowser, type OpenPage, openPage } from '../support/ui/detail-page';
import { decide, press } from '../support/ui/press';
import { harnessSource } from '../support/ui/real-source';
import { until } from '../support/until';

const artifact = { name: 'PLAN.md', content: '# Plan' };
const question = { question: 'Which list?', options: ['SPDX', 'ours'] };

describeInBrowser('deciding about real runs in the page', () => {
  let harness: Harness;
  let open: OpenPage;
  let isAmended = false;

  beforeAll(async () => {
    const everything: Script = scriptByTurn(
      useTool('dispatch_subagents', batch(['amend me', 'skip me', 'abort me'])),
      useTool('write_artifact', artifact),
      useTool('ask_operator', question),
      say('All decided.'),
    );
    const script = byDepth(
      (call) => (call.systemText.includes('Wait.') ? hang() : everything(call)),
      (call) => (isAmended && reasonOf(call).includes('amend') ? say('Amended.') : refuse()),
    );
    harness = await Harness.start(script, { replayed: false });
  });
  afterEach(() => open.close());
  afterAll(async () => {
    await closeBrowser();
    await harness.close();
  });

  const show = async (goal: string): Promise<RunHandle> => {
    const run = await createBaton(harness.client, harness).startRun({
      goal,
      onFailure: 'hold',
      ask: true,
      approve: [{ tool: 'write_artifact', reason: 'It is published.' }],
    });
    open = await openPage(harnessSource(harness), run.runId);
    return run;
  };
  const cardOf = async (path: string, incident: string): Promise<Locator> => {
    await open.go(path);
    const card = open.page.locator(`[data-incident="${incident}"]`);
    await card.waitFor();
    return card;
  };

  test('amend, skip, abort, deny and answer reach the agents, and the run goes on with them', async () => {
    const run = await show('Decide everything.');
    const isParked = ({ children }: AgentTree): boolean =>
      children.length === 3 && children.every(({ status }) => status === 'needs operator');
    const { children } = await until(async () => {
      const tree = await run.tree();
      return isParked(tree) ? tree : undefined;
    });
    const pathOf = (name: string): string =>
      children.find(({ summary }) => summary.includes(name))?.delegationId ?? 'nobody';

    const amended = await cardOf(pathOf('amend me'), 'i1');
    await press(amended, 'Amend…');
    await amended.getByLabel('More turns').fill('20');
    isAmended = true;
    await decide(amended, 'Amend');

    const skipped = await cardOf(pathOf('skip me'), 'i1');
    await press(skipped, 'Skip with a result…');
    await skipped.getByLabel('Result that is used instead').fill('Nothing is known.');
    await decide(skipped, 'Skip with a result');

    const aborted = await cardOf(pathOf('abort me'), 'i1');
    await press(aborted, 'Abort…');
    await decide(aborted, 'Abort');

    const denied = await cardOf('', 'i1');
    await press(denied, 'Deny…');
    await denied.getByLabel('Reason, which the agent reads').fill('Not yet.');
    await decide(denied, 'Deny');

    const asked = await cardOf('', 'i2');
    await asked.getByLabel('ours').check();
    await decide(asked, 'Send answer');

    expect(await run.result()).toMatchObject({ kind: 'completed', result: { answer: { text: 'All decided.' } } });
    expect((await run.snapshot())?.decisions).toMatchObject([
      { incident: 'i1', action: 'deny', by: 'ada', note: 'Not yet.' },
      { incident: 'i2', action: 'answer', answer: 'ours' },
    ]);
    const statuses = await until(async () => {
      const ended = (await run.tree()).children.map(({ status }) => status);
      return ended.includes('needs operator') || ended.includes('running') ? undefined : ended;
    });
    expect([...statuses].sort()).toEqual(['completed', 'failed', 'skipped']);
    expect(open.problems).toEqual([]);
  });

  test('a run is paused, resumed, steered and cancelled', async () => {
    const run = await show('Wait.');
    const controls = open.page.locator('.agent-header .controls');
    await controls.getByRole('button', { name: 'Pause' }).click();
    await until(async () => ((await run.snapshot())?.paused === true ? true : undefined));
    await controls.getByRole('button', { name: 'Resume' }).click();
    await until(async () => ((await run.snapshot())?.paused === false ? true : undefined));
    await controls.getByRole('button', { name: 'Steer…' }).click();
    await controls.getByLabel('Message that the model receives with its next turn').fill('Use the archive.');
    await controls.getByRole('button', { name: 'Send' }).click();
    await until(async () => {
      for await (const event of run.events()) if (event.kind === 'agent.steered') return event.text;
      return undefined;
    });
    await controls.getByRole('button', { name: 'Cancel…' }).click();
    await controls.getByRole('button', { name: 'Cancel the run' }).click();
    expect(await run.result()).toEqual({ kind: 'cancelled' });
    await open.page.locator('.agent-facts .badge', { hasText: 'cancelled' }).waitFor();
  });
});
