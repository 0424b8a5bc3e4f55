import { DetailsReader, readTree } from '../../../client/delegation/read-tree';
import { readQueueLimit, setQueueLimit } from '../../../client/limit/queue-limits';
import { diagnose } from '../../../client/why';
import { hang, say, scriptByTurn, useTool } from '../../../testing/scripted-model';
import { batch, delegationsOf } from '../../support/batches';
import { byDepth } from '../../support/delegation-script';
import { Harness, type RunHandle } from '../../support/harness';
import { until } from '../../support/until';

const pattern = 'claude-*';

/** Ends a run, and returns how long that took in milliseconds. */
async function cancel(run: RunHandle): Promise<number> {
  const begun = Date.now();
  await run.cancel();
  await run.result().catch(() => undefined);
  return Date.now() - begun;
}

describe('a model with a limit', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'), { limits: { [pattern]: { requestsPerMinute: 6_000 } } });
  });
  afterAll(() => harness.close());

  const whyWaits = (run: RunHandle, words: string): Promise<string> =>
    until(async () => {
      const { message } = await diagnose(harness.client, run.workflowId);
      return message.includes(words) ? message : undefined;
    });

  test('has its turns on a task queue of its own, with equal priority and the key of the run', async () => {
    harness.model.setScript(
      byDepth(scriptByTurn(useTool('dispatch_subagents', batch(['One.'])), say('done')), () => say('fine')),
    );
    const run = await harness.startRun({ tenant: 'acme' });
    await run.result();
    const [child] = await delegationsOf(harness.client, run, 1);
    for (const workflowId of [run.workflowId, child!.workflowId]) {
      const { events } = await harness.client.workflow.getHandle(workflowId).fetchHistory();
      const turns = (events ?? []).flatMap(({ activityTaskScheduledEventAttributes: scheduled }) =>
        scheduled?.activityType?.name === 'runTurn' ? [scheduled] : [],
      );
      for (const { taskQueue, priority } of turns) {
        expect(taskQueue?.name).toBe(`${harness.taskQueue}-models-${pattern}`);
        // The rest is inherited.
        expect(priority?.priorityKey).toBe(3);
      }
      expect(turns.length).toBeGreaterThan(0);
      const started = events?.[0]?.workflowExecutionStartedEventAttributes;
      const depth = workflowId === run.workflowId ? 0 : 1;
      expect(started?.priority).toMatchObject({ priorityKey: 5 - depth, fairnessKey: 'acme' });
    }
  });

  test('waits visibly when an operator lowers the limit, can be cancelled, and goes on when it is raised', async () => {
    harness.model.setScript(scriptByTurn(useTool('list_files', { path: '.' }), say('done')));
    const change = { requestsPerMinute: 0.01, reason: 'night' };
    await setQueueLimit(harness.client, harness.taskQueue, pattern, change);
    await until(async () => {
      const limit = await readQueueLimit(harness.client, harness.taskQueue, pattern);
      return limit.setBy === 'operator' && limit.reason === 'night' ? limit : undefined;
    });
    const runs = [await harness.startRun(), await harness.startRun()];
    const words = `waiting for the provider's rate limit (${pattern})`;
    // The first task may pass, because nothing was taken before.
    for (const run of runs) await whyWaits(run, words);
    const [first, second] = runs as [RunHandle, RunHandle];
    const tree = await readTree(harness.client, first.workflowId);
    const details = await new DetailsReader(harness.client).read([tree]);
    expect(details.get(first.workflowId)?.snapshot?.waitingFor).toContain("the provider's rate limit");
    expect(await cancel(first)).toBeLessThan(30_000);
    await setQueueLimit(harness.client, harness.taskQueue, pattern, { requestsPerMinute: null });
    expect(await second.result()).toMatchObject({ answer: { text: 'done' } });
    const after = await until(async () => {
      const limit = await readQueueLimit(harness.client, harness.taskQueue, pattern);
      return limit.setBy === 'worker' ? limit : undefined;
    });
    expect(after.requestsPerMinute).toBe(6_000);
  });
});

describe('a limit of tokens', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'), { limits: { [pattern]: { tokensPerMinute: 60 } } });
  });
  afterAll(() => harness.close());

  test('is waited for without a slot and without using up attempts', async () => {
    harness.model.setScript(scriptByTurn(useTool('list_files', { path: '.' }), say('done')));
    const run = await harness.startRun();
    const { message } = await until(async () => {
      const why = await diagnose(harness.client, run.workflowId);
      return why.type === 'Model.AtLimit' && why.message.includes('next in') ? why : undefined;
    });
    expect(message).toMatch(/^waiting for the provider's rate limit, next in /);
    expect(harness.model.calls).toHaveLength(1);
    await cancel(run);
  });
});

describe('roles of workers', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await Harness.start(() => hang(), { roles: ['agents', 'models', 'control'] });
  });
  afterAll(() => harness.close());

  test('a queue without a worker is named', async () => {
    harness.model.setScript(scriptByTurn(useTool('list_files', { path: '.' }), say('done')));
    const run = await harness.startRun({ tuning: { toolsInside: false } });
    const why = await until(async () => {
      const found = await diagnose(harness.client, run.workflowId);
      return found.message.includes('no worker is polling') ? found : undefined;
    });
    expect(why.message).toContain(`"${harness.taskQueue}-tools"`);
    expect(why.remedy).toContain('BATON_WORKER_ROLES');
    // A worker without a free slot does not poll either.
    expect(why.message).toMatch(/either no worker does tools, or all slots for tools are in use$/);
    expect(why.remedy).toContain('raise BATON_TOOL_SLOTS');
    await cancel(run);
  });
});
