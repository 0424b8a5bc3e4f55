import { z } from 'zod';
import type { SharedDependencies } from '../../../activities/dependencies';
import { defineTool } from '../../../activities/tool/define-tool';
import { executeTool } from '../../../activities/tool/execute-tool';
import type { ExecuteToolInput } from '../../../domain/agent';
import { StoreFullError } from '../../../domain/store';
import type { ToolResult } from '../../../domain/tool';
import { TreeCache } from '../../../store/workspace/trees';
import { MemoryRunStore } from '../../store/support/memory-run-store';
import { Attempts } from '../../support/activity-environment';

let runs: number;
let running: () => Promise<void>;
let store: MemoryRunStore;
const count = (name: string, safeToRepeat: boolean) =>
  defineTool({
    name,
    id: `test/${name}@1`,
    description: 'Counts.',
    parameters: z.strictObject({}),
    success: 'Counted.',
    cost: 'Free.',
    safeToRepeat,
    run: async () => {
      runs += 1;
      const message = `run ${runs} ${'x'.repeat(2_000)}`;
      await running();
      return { message };
    },
  });
const tools = [count('look', true), count('pay', false)];

beforeEach(() => {
  runs = 0;
  running = () => Promise.resolve();
  store = new MemoryRunStore();
});

/** An activity that the given execution schedules for a call, and its attempts. */
function activity(name: 'look' | 'pay', execution: string, more: Partial<ExecuteToolInput> = {}) {
  const attempts = new Attempts('executeTool', execution);
  const input: ExecuteToolInput = {
    runId: 'r1',
    storeId: 's1',
    call: { id: 'c1', name, input: { text: '{}' }, key: 'key-1' },
    reply: 'head-1',
    workspace: null,
    agent: 'run/r1',
    ...(name === 'pay' ? { once: true } : {}),
    ...more,
  };
  const port = { id: 's1', forRun: () => store, checkWritable: () => Promise.resolve() };
  const dependencies = { store: port, uncachedStore: port, tools, treeCache: new TreeCache() };
  return {
    attempts,
    attempt: (): Promise<ToolResult> =>
      attempts.next(
        (given: ExecuteToolInput) => executeTool(dependencies as unknown as SharedDependencies, given),
        input,
      ),
  };
}

const interrupted = { type: 'Tool.Interrupted', nonRetryable: true };

describe.each(['look', 'pay'] as const)('a call of %s', (name) => {
  test('that an execution made before it was reset is not made again', async () => {
    const before = await activity(name, 'first').attempt();
    expect(await activity(name, 'second').attempt()).toEqual(before);
    expect(await activity(name, 'third').attempt()).toEqual(before);
    expect(runs).toBe(1);
  });

  test.each<[string, Partial<ExecuteToolInput>]>([
    ['another key', { call: { id: 'c1', name, input: { text: '{}' }, key: 'key-2' } }],
    ['another reply, whose provider numbers its calls', { reply: 'head-2' }],
    ['an input that an operator changed', { call: { id: 'c1', name, input: { text: '{ }' }, key: 'key-1' } }],
  ])('is made if it has %s', async (_, more) => {
    await activity(name, 'first').attempt();
    await activity(name, 'second', more).attempt();
    expect(runs).toBe(2);
  });
});

test('calls of an earlier version, which have no key, are all made', async () => {
  const more = { call: { id: 'c1', name: 'pay', input: { text: '{}' } } };
  await activity('pay', 'first', more).attempt();
  await activity('pay', 'second', more).attempt();
  expect(runs).toBe(2);
});

test('a call of a tool that is safe to repeat is made again if a reset came before its end', async () => {
  running = () => Promise.reject(new StoreFullError('here'));
  await expect(activity('look', 'first').attempt()).rejects.toThrow();
  running = () => Promise.resolve();
  await activity('look', 'second').attempt();
  expect(runs).toBe(2);
});

describe('a call that must not be made twice', () => {
  test('is reported as interrupted if a reset came before its end, also by the activity that ends it later', async () => {
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    let begun = (): void => undefined;
    const hasBegun = new Promise<void>((resolve) => (begun = resolve));
    running = () => {
      begun();
      return ended;
    };
    const first = activity('pay', 'first').attempt();
    await hasBegun;
    await expect(activity('pay', 'second').attempt()).rejects.toMatchObject(interrupted);
    end();
    await expect(first).rejects.toMatchObject(interrupted);
    await expect(activity('pay', 'third').attempt()).rejects.toMatchObject(interrupted);
    expect(runs).toBe(1);
  });

  test('is made by the next attempt if the store failed just after its beginning was recorded', async () => {
    const first = activity('pay', 'first');
    const { flush } = store;
    store.flush = () => Promise.reject(new StoreFullError('here'));
    await expect(first.attempt()).rejects.toMatchObject({ nonRetryable: false });
    expect(runs).toBe(0);
    store.flush = flush;
    await first.attempt();
    expect(runs).toBe(1);
  });

  test('is not made again if its result could not be journaled', async () => {
    const first = activity('pay', 'first');
    const { putIfAbsent } = store;
    store.putIfAbsent = (key, bytes) =>
      key.startsWith('call/') ? Promise.reject(new StoreFullError('here')) : putIfAbsent.call(store, key, bytes);
    await expect(first.attempt()).rejects.toMatchObject({ nonRetryable: false });
    store.putIfAbsent = putIfAbsent;
    const result = await first.attempt();
    expect(await activity('pay', 'second').attempt()).toEqual(result);
    expect(runs).toBe(1);
  });
});
