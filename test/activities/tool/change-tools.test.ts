import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SharedDependencies } from '../../../activities/dependencies';
import { changeTools } from '../../../activities/tool/change-tools';
import type { RunStore, Store } from '../../../domain/store';
import {
  type ChangedTools,
  type ChangeToolsInput,
  type ToolDescription,
  toolDescriptionSchema,
} from '../../../domain/tool';
import { getJson, putJson } from '../../../store/blobs';
import { openFileStore } from '../../../store/file/open-file-store';
import { getRootTools, putRootTools } from '../../../store/prompts';

const tool = (name: string): ToolDescription => ({
  name,
  id: `test/${name}@1`,
  description: `Does ${name}.`,
  inputSchema: { type: 'object' },
  success: 'It is done.',
  cost: 'Nothing.',
  safeToRepeat: name !== 'write',
  ...(name === 'plan' ? { reads: ['plan'] } : {}),
});

describe('changing the tools of an agent', () => {
  let folder: string;
  let store: Store;
  let run: RunStore;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'baton-tools-'));
    store = await openFileStore(folder);
    run = store.forRun('r1');
    await putRootTools(run, { toolList: await putJson(run, ['read', 'write', 'plan'].map(tool)) });
  });
  afterAll(() => rm(folder, { recursive: true }));

  const change = async (
    has: readonly string[],
    { grant = [] as string[], revoke = [] as string[], runStore = run } = {},
  ): Promise<ChangedTools> => {
    const toolList = await putJson(runStore, has.map(tool));
    const input = { runId: runStore.runId, storeId: store.id, toolList, grant, revoke };
    return changeTools({ store } as SharedDependencies, input);
  };

  test('adds a tool that the root agent has, with its full description', async () => {
    const { tools, toolList, entry, refused } = await change(['read'], { grant: ['plan', 'write'] });
    expect(tools).toEqual({ names: ['read', 'write', 'plan'], once: ['write'], reads: { plan: ['plan'] } });
    const stored = await getJson(run, toolList, toolDescriptionSchema.array(), 'test');
    expect(stored).toEqual(['read', 'write', 'plan'].map(tool));
    expect(entry).toContain('`write`\n- **Identifier** – `test/write@1`');
    expect(entry).toContain('`plan`\n');
    expect(refused).toEqual([]);
  });

  test('never adds a tool that the root agent does not have', async () => {
    const { tools, refused, entry } = await change(['read'], { grant: ['shell', '__proto__'] });
    expect(tools.names).toEqual(['read']);
    expect(refused).toEqual(['shell', '__proto__']);
    expect(entry).toBe('');
  });

  test('removes tools, and does nothing if the list is already as requested', async () => {
    const { tools } = await change(['read', 'write'], { grant: ['read'], revoke: ['write', 'plan'] });
    expect(tools.names).toEqual(['read']);
    expect((await change(['read'], { grant: ['read'] })).entry).toBe('');
  });

  test('adds nothing in a run that did not record its root tools', async () => {
    const runStore = store.forRun('r2');
    expect(await getRootTools(runStore)).toEqual([]);
    expect((await change(['read'], { grant: ['write'], runStore })).refused).toEqual(['write']);
  });

  describe('that are deferred', () => {
    const ofServer = (name: string): ToolDescription => ({
      ...tool(`mcp__shop__${name}`),
      mcp: { server: 'shop', tool: name, hash: 'h' },
    });
    const hidden = ['order', 'cancel', 'refund'].map(ofServer);
    const [order, cancel, refund] = hidden.map(({ name }) => name);
    const changeDeferred = async (more: Partial<ChangeToolsInput>): Promise<ChangedTools> => {
      const deferred = { list: await putJson(run, hidden), count: hidden.length };
      const toolList = await putJson(run, [tool('read')]);
      const input = { runId: run.runId, storeId: store.id, toolList, grant: [], revoke: [], deferred, ...more };
      return changeTools({ store } as SharedDependencies, input);
    };
    const still = async ({ deferred }: ChangedTools): Promise<string[]> =>
      deferred === undefined
        ? []
        : (await getJson(run, deferred.list, toolDescriptionSchema.array(), 'test')).map(({ name }) => name);

    test('brings in the best matches, and keeps the rest', async () => {
      const changed = await changeDeferred({ find: { query: 'order', limit: 5 } });
      expect(changed).toMatchObject({ found: [order], deferred: { count: 2 }, refused: [], entry: '' });
      expect(changed.tools.names).toEqual(['read', order, 'find_tool']);
      expect(await still(changed)).toEqual([cancel, refund]);
      expect(changed.answer).toContain('This tool is in your list from now on:');
    });

    test('changes nothing if nothing matches, or not exactly', async () => {
      for (const find of [
        { query: 'weather', limit: 5 },
        { query: 'order', limit: 1, exact: true as const },
        { query: '__proto__', limit: 1, exact: true as const },
      ]) {
        const changed = await changeDeferred({ find });
        expect(changed.found).toBeUndefined();
        expect(await still(changed)).toEqual([order, cancel, refund]);
      }
    });

    test('drops find_tool with the last one, and what is revoked for good', async () => {
      const revoked = await changeDeferred({ revoke: [order ?? '', cancel ?? ''] });
      expect(await still(revoked)).toEqual([refund]);
      const all = await changeDeferred({
        find: { query: 'mcp__shop__order mcp__shop__cancel mcp__shop__refund', limit: 9 },
      });
      expect(all.tools.names).toEqual(['read', cancel, order, refund]);
      expect(all.deferred).toBeUndefined();
    });

    test('brings in one that is granted, although the root does not have it', async () => {
      const changed = await changeDeferred({ grant: [refund ?? '', 'shell'] });
      expect(changed).toMatchObject({ found: [refund], refused: ['shell'] });
    });
  });

  test('the tools of the root agent are recorded once', async () => {
    await putRootTools(run, { toolList: await putJson(run, [tool('shell')]) });
    expect((await getRootTools(run)).map(({ name }) => name)).toEqual(['read', 'write', 'plan']);
  });
});
