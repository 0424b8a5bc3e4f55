import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SharedDependencies } from '../../../activities/dependencies';
import { changeTools } from '../../../activities/tool/change-tools';
import type { RunStore, Store } from '../../../domain/store';
import { type ChangedTools, type ToolDescription, toolDescriptionSchema } from '../../../domain/tool';
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

  test('the tools of the root agent are recorded once', async () => {
    await putRootTools(run, { toolList: await putJson(run, [tool('shell')]) });
    expect((await getRootTools(run)).map(({ name }) => name)).toEqual(['read', 'write', 'plan']);
  });
});
