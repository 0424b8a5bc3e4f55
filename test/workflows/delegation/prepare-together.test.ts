import { decodeArrayFromPayloads } from '@temporalio/common/lib/internal-non-workflow';
import { defaultLimits } from '../../../domain/agent';
import type { PreparedTogether } from '../../../domain/delegation';
import { say, scriptByTurn, useTools } from '../../../testing/scripted-model';
import { dispatch } from '../../support/delegation-script';
import { Harness, type RunHandle } from '../../support/harness';
import { operated } from '../../support/parked';
import { treePlayer } from '../../support/tree-player';
import { until } from '../../support/until';

describe('the delegations of one reply', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'));
  });
  afterAll(() => harness.close());
  afterEach(() => jest.restoreAllMocks());

  const { play } = treePlayer(() => harness, 'dispatch_subagent');
  const dispatches = (...tasks: readonly string[]) =>
    useTools(tasks.map((instructions) => ({ name: 'dispatch_subagent', input: dispatch({ instructions }) })));

  /** What each `prepareDelegations` of an agent returned: of every call whether it is ready, refused or left out. */
  async function preparations(handle: RunHandle): Promise<readonly string[][]> {
    const { events } = await handle.fetchHistory();
    const scheduled = new Set(
      (events ?? [])
        .filter((event) => event.activityTaskScheduledEventAttributes?.activityType?.name === 'prepareDelegations')
        .map(({ eventId }) => String(eventId)),
    );
    const results = (events ?? []).flatMap(({ activityTaskCompletedEventAttributes: completed }) =>
      scheduled.has(String(completed?.scheduledEventId)) ? [completed?.result?.payloads] : [],
    );
    const { loadedDataConverter } = harness.client.options;
    return Promise.all(
      results.map(async (payloads) => {
        const [{ delegations }] = (await decodeArrayFromPayloads(loadedDataConverter, payloads)) as [PreparedTogether];
        return delegations.map((one) => (one === null ? 'left out' : one.ok ? 'ready' : 'refused'));
      }),
    );
  }

  test('are prepared by one activity per twenty, and cost their parent less than 3,900 bytes each', async () => {
    const tasks = Array.from({ length: 30 }, (_, index) => `Carry out task ${index}.`);
    const { handle } = await play([scriptByTurn(dispatches(...tasks), say('done')), () => say('Done.')]);
    await handle.result();
    expect((await preparations(handle)).map(({ length }) => length).sort()).toEqual([10, 20]);
    const { historySize } = await handle.describe();
    expect(historySize! / tasks.length).toBeLessThan(3_900);
  });

  test('those that have to wait are prepared when it is their turn, and a refused one is refused alone', async () => {
    const tasks = Array.from({ length: 23 }, (_, index) => (index === 1 ? 'Zähle.' : `Carry out task ${index}.`));
    const { handle, asked } = await play(
      [scriptByTurn(dispatches(...tasks), say('done')), ({ systemText }) => say(/task \d+/.exec(systemText)![0])],
      { limits: { ...defaultLimits, maxParallel: 1 } },
    );
    await handle.result();
    const refused = tasks.map((_, index) => (index === 1 ? 'refused' : 'ready'));
    expect(await preparations(handle)).toEqual([refused.slice(0, 20), refused.slice(20)]);
    const results = asked.filter(({ systemText }) => !systemText.includes('Carry out')).at(-1)!.toolResults;
    expect(results.map(({ isError, text }) => (isError ? 'refused' : text.split('\n')[0]))).toEqual(
      tasks.map((_, index) => (index === 1 ? 'refused' : `task ${index}`)),
    );
  });

  test('one that cannot be prepared does not hold up the others, and an operator has it prepared alone', async () => {
    let isBroken = true;
    const { forRun } = harness.store;
    jest.spyOn(harness.store, 'forRun').mockImplementation((runId) => {
      const run = forRun.call(harness.store, runId);
      const putIfAbsent: typeof run.putIfAbsent = (key, bytes, ...rest) => {
        const isSecond = key.startsWith('delegation/') && Buffer.from(bytes).includes('Do the second.');
        if (isBroken && isSecond) return Promise.reject(new Error('This record cannot be written'));
        return run.putIfAbsent(key, bytes, ...rest);
      };
      return new Proxy(run, {
        get: (target, name) => {
          if (name === 'putIfAbsent') return putIfAbsent;
          const value: unknown = Reflect.get(target, name);
          return typeof value === 'function' ? (value.bind(target) as unknown) : value;
        },
      });
    });
    const ended: string[] = [];
    const { handle } = await play(
      [
        scriptByTurn(dispatches('Do the first.', 'Do the second.', 'Do the third.'), say('done')),
        ({ systemText }) => {
          ended.push(/Do the (\w+)\./.exec(systemText)![1]!);
          return say('Done.');
        },
      ],
      { onFailure: 'hold', tuning: { retryIntervalMs: 10 } },
    );
    const agent = operated(harness.client, handle.workflowId);
    const incident = await agent.incident();
    expect(incident).toMatchObject({ step: 'composing a delegation' });
    expect(incident.message).toMatch('This record cannot be written');
    await until(() => (ended.length === 2 ? true : undefined));
    isBroken = false;
    await agent.decide({ incident: incident.id, action: 'retry' });
    expect(await handle.result()).toMatchObject({ answer: { text: 'done' } });
    expect(ended.sort()).toEqual(['first', 'second', 'third']);
    expect(await preparations(handle)).toEqual([['ready', 'left out', 'ready'], ['ready']]);
  });
});
