import { Client, Connection } from '@temporalio/client';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { auditRun, gatherReport } from '../../../client';
import { Histories } from '../../../client/event/histories';
import { readEvents } from '../../../client/event/read-events';
import { runWorkflowId } from '../../../domain/kernel';
import { openFileStore } from '../../../store/file/open-file-store';
import { connectClient } from '../../../temporal-config/node/connect-client';
import { StandIn } from '../../cli/support/stand-in';
import { testAddress } from '../../support/harness';
import { until } from '../../support/until';

const children = 300;

describe(`a run with ${children} children`, () => {
  let standIn: StandIn;
  let runId: string;
  let folder: string;
  beforeAll(async () => {
    standIn = await StandIn.start();
    folder = await mkdtemp(join(tmpdir(), 'baton-large-'));
    const ids = Array.from({ length: children }, (_, index) => [`child-${index}`, {}] as const);
    runId = await standIn.play({ children: Object.fromEntries(ids) });
    await standIn.client.workflow.getHandle(runWorkflowId(runId)).result();
  });
  afterAll(async () => {
    await standIn.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Counts the requests of some work, by method. */
  const counted = async <T>(work: () => Promise<T>): Promise<{ result: T; calls: Record<string, number> }> => {
    standIn.calls.length = 0;
    const result = await work();
    const calls: Record<string, number> = {};
    for (const name of standIn.calls) calls[name] = (calls[name] ?? 0) + 1;
    return { result, calls };
  };
  const histories = 'GetWorkflowExecutionHistory';
  /** Counts the pages of a history. */
  const pagesOf = async (workflowId: string): Promise<number> => {
    let count = 0;
    for await (const _page of new Histories(standIn.client).pages({ workflowId })) count += 1;
    return count;
  };

  test('is printed by tail with one request for each child', async () => {
    const { result, calls } = await counted(() => standIn.baton('tail', runId));
    expect(result.stdout.match(/completed/g)?.length).toBeGreaterThan(children);
    expect(calls[histories]).toBeLessThan(children + 40);
    expect(calls['DescribeWorkflowExecution']).toBeLessThan(5);
  });

  test('is read only as far as its events are used', async () => {
    const { calls } = await counted(async () => {
      for await (const event of readEvents(standIn.client, runId)) {
        if (event.kind === 'delegation.started') return;
      }
    });
    expect(calls[histories]).toBeLessThan(80);
  });

  test('is drawn by tree with a few requests', async () => {
    // The server's search index lags behind, and each delegation that it lists as running is asked for.
    const { result, calls } = await until(async () => {
      const drawn = await counted(() => standIn.baton('tree', runId));
      return drawn.result.stdout.includes(` ${children} more completed`) ? drawn : undefined;
    });
    expect(result.exitCode).toBe(0);
    expect(calls['QueryWorkflow']).toBeUndefined();
    expect(calls['ListWorkflowExecutions']).toBe(1);
    expect(calls['DescribeWorkflowExecution']).toBe(2);
    // The root's history once, and its beginning for the budget. Its number of pages depends on how the server put events
    // together.
    expect(calls[histories]).toBe((await pagesOf(runWorkflowId(runId))) + 1);
  });

  test('is audited with one request for each agent', async () => {
    const store = (await openFileStore(join(folder, 'store'))).forRun(runId);
    const { result, calls } = await counted(() => auditRun(standIn.client, store));
    expect(result.children).toHaveLength(children);
    expect(calls[histories]).toBeLessThan(children + 40);
  });

  test('is reported with all agents, and with the prompts of some', async () => {
    const noStore = (): Promise<never> => Promise.reject(new Error('there is no store here'));
    const { result, calls } = await counted(() => gatherReport(standIn.client, runId, noStore));
    expect(result.agents).toHaveLength(children + 1);
    expect(result.gaps.join('\n')).toMatch(/^Only 250 of 301 agents are shown with prompt/m);
    expect(calls['QueryWorkflow']).toBeLessThanOrEqual(251);
    expect(calls[histories]).toBeLessThan(children + 250 + 60);
  });
});

describe('a history that is larger than one message', () => {
  const workflowId = `large-${randomUUID()}`;
  const signals = 100;
  const signalBytes = 60_000;
  let client: Client;
  let plain: Connection;
  beforeAll(async () => {
    plain = await Connection.connect({ address: testAddress() });
    client = new Client({ connection: plain });
    const handle = await client.workflow.start('nobody', { workflowId, taskQueue: `nobody-${randomUUID()}` });
    for (let i = 0; i < signals; i += 1) await handle.signal('text', 'x'.repeat(signalBytes));
  });
  afterAll(async () => {
    await client.workflow.getHandle(workflowId).terminate();
    await plain.close();
  });

  test('is read in pages that a client with the default limit accepts', async () => {
    const pages: number[] = [];
    for await (const { events } of new Histories(client).pages({ workflowId })) pages.push(events.length);
    expect(pages.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(signals);
    const bytes = pages.map((count) => count * signalBytes);
    expect(Math.max(...bytes)).toBeLessThan(4 * 1024 * 1024);
    expect(Math.max(...bytes.slice(1))).toBeLessThan(1.2 * 1024 * 1024);
  });

  test('is accepted as one message by the client that Baton creates', async () => {
    const describe = 'the test server';
    const target = { kind: 'configured', connectionOptions: { address: testAddress() }, namespace: 'default' } as const;
    const connected = await connectClient({ ...target, describe });
    const { events } = await connected.client.workflow.getHandle(workflowId).fetchHistory();
    expect(events?.length).toBeGreaterThanOrEqual(signals);
    await connected.close();
  });
});
