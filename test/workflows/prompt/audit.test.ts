import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CliContext } from '../../../cli/context';
import { promptCommand } from '../../../cli/prompt/prompt';
import { type AuditedAgent, auditRun } from '../../../client/prompt/audit-run';
import { runIdOf } from '../../../domain/kernel';
import { extractParent } from '../../../domain/prompt';
import { type RunStore, StoreUnavailableError } from '../../../domain/store';
import { say, scriptByTurn, useTool } from '../../../testing/scripted-model';
import { byDepth, depthOf, dispatch } from '../../support/delegation-script';
import { Harness, type RunHandle } from '../../support/harness';

const script = byDepth(
  scriptByTurn(
    useTool('dispatch_subagent', dispatch()),
    useTool('dispatch_subagents', {
      delegations: [{ reason: 'Look.', expected_result: 'A word.', may_delegate_further: 'no', recap_lines: ['Look'] }],
    }),
    say('done'),
  ),
  (call) =>
    call.turn === 0 && call.systemText.includes('# Delegation Overview')
      ? useTool('dispatch_subagent', dispatch())
      : say('Fine.'),
  () => say('At the bottom.'),
);

describe('audit', () => {
  let harness: Harness;
  let handle: RunHandle;
  let runId: string;
  const told = new Map<number, string>();

  beforeAll(async () => {
    harness = await Harness.start((call) => {
      if (!told.has(depthOf(call))) told.set(depthOf(call), call.systemText);
      return script(call);
    });
    handle = await harness.startRun();
    await handle.result();
    runId = runIdOf(handle.workflowId)!;
  });
  afterAll(() => harness.close());

  const audit = (): Promise<AuditedAgent> => auditRun(harness.client, harness.store.forRun(runId));
  const all = (agent: AuditedAgent): AuditedAgent[] => [agent, ...agent.children.flatMap(all)];

  test('rebuilds every prompt of a tree, and finds no difference', async () => {
    const agents = all(await audit());
    expect(agents.map(({ difference }) => difference)).toEqual([null, null, null, null]);
    expect((await harness.store.forRun(runId).verify()).damaged).toEqual([]);
  });

  test('reads no history of a delegation that completed without delegations of its own', async () => {
    const reading = jest.spyOn(harness.client.workflowService, 'getWorkflowExecutionHistory');
    const root = await audit();
    const read = reading.mock.calls.map(([request]) => (request as { execution: { workflowId: string } }).execution);
    reading.mockRestore();
    const agents = new Set(read.map(({ workflowId }) => workflowId));
    expect(agents).toEqual(new Set([root.workflowId, root.children[0]!.workflowId]));
  });

  test('prints the prompts of an agent, its parent and the root, byte for byte', async () => {
    const child = (await audit()).children[0]!.children[0]!.workflowId;
    const print = async (...options: string[]): Promise<string> => {
      const written: Uint8Array[] = [];
      const context = {
        terminal: { write: (bytes: Uint8Array) => written.push(bytes) },
        connect: () =>
          Promise.resolve({
            client: harness.client,
            namespace: 'default',
            uiUrl: undefined,
            close: () => Promise.resolve(),
          }),
        openStore: () => Promise.resolve(harness.store),
      } as unknown as CliContext;
      await promptCommand(context).parseAsync([child, ...options], { from: 'user' });
      return Buffer.concat(written).toString('utf8');
    };
    expect(await print()).toBe(told.get(2));
    expect(await print('--parent')).toBe(told.get(1));
    expect(await print('--root')).toBe(told.get(0));
    expect(Buffer.from(extractParent(Buffer.from(await print()))).toString('utf8')).toBe(told.get(1));
  });

  test('does not take a store that cannot be read for a difference, whichever read fails', async () => {
    const { store, reads } = failingAfter(Number.POSITIVE_INFINITY);
    await auditRun(harness.client, store);
    expect(reads()).toBeGreaterThan(10);
    for (let after = 0; after < reads(); after += 1)
      await expect(auditRun(harness.client, failingAfter(after).store)).rejects.toThrow('cannot be used: gone');
  });

  /** The run's store, which cannot be read any more after this number of reads. */
  const failingAfter = (reads: number): { store: RunStore; reads: () => number } => {
    let count = 0;
    const unlessGone = <Value>(read: () => Promise<Value>): Promise<Value> => {
      count += 1;
      return count > reads ? Promise.reject(new StoreUnavailableError('a store', 'gone')) : read();
    };
    const store = harness.store.forRun(runId);
    const failing: RunStore = Object.assign(Object.create(store) as RunStore, {
      get: (...args: Parameters<RunStore['get']>) => unlessGone(() => store.get(...args)),
      find: (...args: Parameters<RunStore['find']>) => unlessGone(() => store.find(...args)),
      entries: async function* (...args: Parameters<RunStore['entries']>) {
        await unlessGone(() => Promise.resolve());
        yield* store.entries(...args);
      },
    });
    return { store: failing, reads: () => count };
  };

  test('finds any changed byte in the store', async () => {
    const folder = join(harness.folder, 'store', 'runs');
    const run = join(
      folder,
      (await readdir(folder)).find((name) => name.includes(runId))!,
    );
    const files = (await readdir(run, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
    expect(files.length).toBeGreaterThan(20);
    const unnoticed: string[] = [];
    for (const file of files) {
      const path = join(file.parentPath, file.name);
      const bytes = await readFile(path);
      const damaged = Buffer.from(bytes);
      const at = Math.floor(damaged.length / 2);
      damaged[at] = damaged[at]! ^ 1;
      await writeFile(path, damaged);
      // A journaled model reply is not a prompt: it is checked when it is read again.
      const isAnswer = bytes.toString('utf8').includes('"answer/');
      if (!isAnswer && !(await noticed())) unnoticed.push(bytes.toString('utf8').slice(0, 200));
      await writeFile(path, bytes);
    }
    expect(unnoticed).toEqual([]);
  });

  const noticed = async (): Promise<boolean> => {
    const { damaged } = await harness.store.forRun(runId).verify();
    return damaged.length > 0 || all(await audit()).some(({ difference }) => difference !== null);
  };
});
