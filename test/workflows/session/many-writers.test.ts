import type { WorkflowHandleWithFirstExecutionRunId } from '@temporalio/client';
import {
  type ApplyReply,
  type ApplyRequest,
  emptySession,
  recordsOf,
  type SnapshotPayload,
} from '../../../domain/session';
import { builtInSlices, createSessionSchema, hydrate, snapshot, unpackReplies } from '../../../domain/session';
import { resolveSnapshot } from '../../../activities/session/snapshots';
import { maxWritersSize } from '../../../domain/session/shared/writers';
import { toolUseSlice } from '../../../domain/session/slices/tool-calls-slice';
import { say } from '../../../testing/scripted-model';
import type { SessionWorkflow } from '../../../workflows/session/session-workflow';
import { Harness } from '../../support/harness';

type History = Awaited<ReturnType<WorkflowHandleWithFirstExecutionRunId['fetchHistory']>>;
type ContinuedAsNew = NonNullable<History['events']>[number]['workflowExecutionContinuedAsNewEventAttributes'];

const schema = createSessionSchema(builtInSlices);
const writers = 10_000;
/** As many as a worker sends in one Update. */
const perUpdate = 64;

/** One tool call per request. The session counts them, so a write that is lost or applied twice shows in the count. */
const requestOf = (number: number, more: Partial<ApplyRequest> = {}): ApplyRequest => ({
  writer: `writer-with-an-id-like-a-delegation-${number}`,
  epoch: '01234567-89ab-cdef-0123-456789abcdef',
  at: 1_000 + number,
  seq: 0,
  since: 0,
  turn: 1,
  wanted: [{ tool: 'look', callId: `call-${number}`, isError: false, changes: [], events: [] }],
  resent: false,
  digest: String(number).padStart(64, '0'),
  ...more,
});

describe('a shared session with ten thousand writers', () => {
  let harness: Harness;
  let host: WorkflowHandleWithFirstExecutionRunId<SessionWorkflow>;
  beforeAll(async () => {
    harness = await Harness.start(() => say('no model is called'), { replayed: false });
    host = await harness.client.workflow.start<SessionWorkflow>('sessionWorkflow', {
      workflowId: 'run/many-writers/session-1',
      taskQueue: harness.taskQueue,
      args: [
        {
          runId: 'many-writers',
          storeId: harness.store.id,
          session: { inline: snapshot(schema, emptySession(schema)) },
          tuning: { requestsPerExecution: 40 },
        },
      ],
    });
  });
  afterAll(() => harness.close());

  // By workflow id only: the host continues as new several times.
  const apply = async (...requests: ApplyRequest[]): Promise<ApplyReply[]> =>
    unpackReplies(
      await harness.client.workflow.getHandle(host.workflowId).executeUpdate('applyTurns', { args: [{ requests }] }),
    );

  test('carries a bounded state over, and recognizes a late repetition of an early write', async () => {
    for (let from = 0; from < writers; from += perUpdate) {
      const replies = await apply(
        ...Array.from({ length: Math.min(perUpdate, writers - from) }, (_, index) => requestOf(from + index)),
      );
      expect(replies.every(({ ok }) => ok)).toBe(true);
    }
    // Repetitions, from the first writer to the last: none of them is applied again.
    expect(await apply(requestOf(0), requestOf(1, { resent: true }), requestOf(4_711), requestOf(9_999))).toMatchObject(
      [{ ok: true }, { ok: true }, { ok: true }, { ok: true }],
    );
    const [other, gap, stale] = await apply(
      requestOf(2, { digest: 'another' }),
      requestOf(3, { seq: 7 }),
      requestOf(4, { epoch: 'an earlier execution', at: 1 }),
    );
    expect([other, gap, stale]).toEqual([
      { ok: false, reason: 'otherRequest' },
      { ok: false, reason: 'gap' },
      { ok: false, reason: 'staleEpoch' },
    ]);
    // Two more writes: the first of a writer that is late, and the next of a writer whose first is in the store.
    const next = { seq: 1, at: 50_000, digest: 'next' };
    expect(await apply(requestOf(20_000, { at: 1_500 }), requestOf(5, next))).toMatchObject([
      { ok: true },
      { ok: true },
    ]);
    expect(await apply(requestOf(20_000, { at: 1_500 }), requestOf(5, next))).toMatchObject([
      { ok: true },
      { ok: true },
    ]);

    await harness.client.workflow.getHandle(host.workflowId).signal('closeSession');
    expect(await callsIn(await host.result())).toBe(writers + 2);
    const carried = await carriedBytes();
    expect(carried.length).toBeGreaterThanOrEqual(3);
    expect(Math.max(...carried)).toBeLessThan(maxWritersSize + 256 * 1024);
  });

  const callsIn = async (final: SnapshotPayload): Promise<number> => {
    const taken = await resolveSnapshot(harness.store.forRun('many-writers'), final);
    return recordsOf(hydrate(schema, taken), toolUseSlice).reduce((sum, { calls }) => sum + calls, 0);
  };

  /** Bytes that each execution passed to the next. */
  async function carriedBytes(): Promise<number[]> {
    const sizes: number[] = [];
    for (let runId: string | null | undefined = host.firstExecutionRunId; runId;) {
      const { events }: History = await harness.client.workflow.getHandle(host.workflowId, runId).fetchHistory();
      const next: ContinuedAsNew = events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes;
      if (next != null)
        sizes.push((next.input?.payloads ?? []).reduce((sum, { data }) => sum + (data?.length ?? 0), 0));
      runId = next?.newExecutionRunId;
    }
    return sizes;
  }
});
