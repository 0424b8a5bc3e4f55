import { type Client, WithStartWorkflowOperation, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { batonRun, readText } from '../../../client';
import { type BlobRef, type TextPage, textsWorkflowId } from '../../../domain/store';
import { hang, say } from '../../../testing/scripted-model';
import { Harness, type RunHandle } from '../../support/harness';
import { historiesOf, replayAll } from '../../support/replay';
import { until } from '../../support/until';

/** More than a page, with characters of one to four bytes, quotes and line breaks. */
const longAnswer = 'A "line" – of ünïcödé, 日本語 and 🎼.\n'.repeat(7_000);

describe('the stored contents of a run, through Temporal alone', () => {
  let harness: Harness;
  let client: Client;
  let finished: RunHandle;
  let runId: string;

  beforeAll(async () => {
    harness = await Harness.start((call) => (call.systemText.includes('Wait.') ? hang() : say(longAnswer)));
    ({ client } = harness);
    finished = await harness.startRun({ model: { name: 'claude-sonnet-5-5', maxTokens: 128_000, window: 1_000_000 } });
    runId = finished.workflowId.slice('run/'.length);
    await finished.result();
  });
  afterAll(() => harness.close());

  const page = (id: string, request: object, idleMs?: number): Promise<TextPage> =>
    client.workflow.executeUpdateWithStart<() => Promise<unknown>, TextPage, [object]>('readText', {
      args: [request],
      startWorkflowOperation: new WithStartWorkflowOperation<(start?: object) => Promise<unknown>>('textsWorkflow', {
        workflowId: textsWorkflowId(id),
        taskQueue: harness.taskQueue,
        args: idleMs === undefined ? [] : [{ idleMs }],
        workflowIdConflictPolicy: 'USE_EXISTING',
      }),
    });
  const refusal = async (request: object, id = runId): Promise<string> => {
    const error: unknown = await page(id, request).catch((thrown: unknown) => thrown);
    const cause = error instanceof WorkflowUpdateFailedError ? error.cause : undefined;
    return cause instanceof ApplicationFailure ? `${cause.type}: ${cause.message}` : String(error);
  };
  const put = (text: string | Uint8Array): Promise<BlobRef> =>
    harness.store.forRun(runId).put(Buffer.from(text), 'text/plain');

  test('are pages that end between characters and together are the answer', async () => {
    const pages: TextPage[] = [];
    for (let next: number | null = 0; next !== null; next = pages.at(-1)?.next ?? null)
      pages.push(await page(runId, { of: 'answer', offset: next }));
    expect(pages.length).toBeGreaterThan(1);
    expect(pages.map(({ text }) => text).join('')).toBe(longAnswer);
    expect(pages.every(({ bytes }) => bytes === Buffer.byteLength(longAnswer))).toBe(true);
    expect(pages.every((each) => JSON.stringify(each).length <= 256 * 1024)).toBe(true);
    const { answer } = (await finished.result()) as { answer: { ref: BlobRef } };
    expect(await batonRun(client, runId).text(answer.ref)).toBe(longAnswer);
    expect(await readText(client, runId, 'answer', harness.taskQueue)).toBe(longAnswer);
  });

  test('are those of an open run as well: its prompt, but no answer yet', async () => {
    const open = await harness.startRun({ goal: 'Wait.' });
    await harness.model.waitForCall(1);
    const id = open.workflowId.slice('run/'.length);
    const { prompt } = await open.query<{ prompt: BlobRef }>('snapshot');
    expect((await page(id, { of: prompt })).text).toContain('Wait.');
    expect(await refusal({ of: 'answer' }, id)).toMatch(/^Input.Invalid: .*has no answer in this store/);
    // Only contents of that run: the same ref under the name of another run finds nothing.
    expect(await refusal({ of: prompt })).toMatch(/^Store.BlobMissing: /);
    await open.terminate();
  });

  test('are refused with a failure type and the field that is wrong', async () => {
    const ref = await put('äöü'.repeat(10));
    const bytes = await put(Uint8Array.from([0xff, 0xfe, 0, 1]));
    expect(await refusal({ of: { hash: 'f'.repeat(64), bytes: 7 } })).toMatch(/^Store.BlobMissing: .*f{64}/);
    expect(await refusal({ of: { ...ref, bytes: 3 } })).toMatch(/^Store.BlobCorrupt: /);
    expect(await refusal({ of: ref, offset: 1 })).toMatch(/^Input.Invalid: offset: it is inside a character/);
    expect(await refusal({ of: ref, offset: 9_999 })).toMatch(/^Input.Invalid: offset: the content has 60 bytes/);
    expect(await refusal({ of: bytes })).toMatch(/^Input.Invalid: encoding: the content is not a text in UTF-8/);
    expect(await refusal({ of: 'everything' })).toMatch(/^Input.Invalid: of: must be "answer" or a ref/);
    expect(await refusal({ of: 'answer' }, 'never-heard-of')).toMatch(/^Input.Invalid: .*has no answer/);
    const raw = await page(runId, { of: bytes, encoding: 'base64' });
    expect(Buffer.from(raw.text, 'base64')).toEqual(Buffer.from([0xff, 0xfe, 0, 1]));
    expect(await page(runId, { of: ref, offset: 2 })).toEqual({
      text: 'äöü'.repeat(10).slice(1),
      next: null,
      bytes: 60,
    });
    expect(await page(runId, { of: ref, offset: 60 })).toEqual({ text: '', next: null, bytes: 60 });
  });

  test('are read by a workflow that also ends its executions while readers always overlap', async () => {
    const id = 'texts-of-many';
    const workflowId = textsWorkflowId(id);
    const ref = await harness.store.forRun(id).put(Buffer.from('short'), 'text/plain');
    const readers = Array.from({ length: 8 }, async () => {
      for (let read = 0; read < 14; read += 1) expect(await readText(client, id, ref, harness.taskQueue)).toBe('short');
    });
    await Promise.all(readers);
    const { raw } = await client.workflow.getHandle(workflowId).describe();
    const histories = await historiesOf(client, workflowId, raw.workflowExecutionInfo?.firstRunId ?? '');
    expect(histories.length).toBeGreaterThan(1);
    const accepted = histories.map(
      ({ history }) => history.events?.filter((event) => event.workflowExecutionUpdateAcceptedEventAttributes).length,
    );
    expect(Math.max(...accepted.map((count) => count ?? 0))).toBeLessThanOrEqual(90);
    await client.workflow.getHandle(workflowId).terminate();
  });

  test('are read by a workflow that keeps its history short, ends when nobody asks, and starts again', async () => {
    const id = 'texts-of-nobody';
    const workflowId = textsWorkflowId(id);
    const ref = await harness.store.forRun(id).put(Buffer.from('short'), 'text/plain');
    const first = client.workflow.getHandle(workflowId);
    for (let read = 0; read < 33; read += 1) expect((await page(id, { of: ref }, 300)).text).toBe('short');
    expect(await first.result()).toEqual({ pages: expect.any(Number) as number });
    // The server's search index lags behind.
    const executions = await until(async () => {
      const listed: string[] = [];
      for await (const { runId: execution } of client.workflow.list({ query: `WorkflowId = "${workflowId}"` }))
        listed.push(execution);
      return listed.length > 1 ? listed : undefined;
    });
    expect((await page(id, { of: ref }, 300)).text).toBe('short');
    await client.workflow.getHandle(workflowId).result();
    const histories = executions.map((execution) => historiesOf(client, workflowId, execution));
    await replayAll((await Promise.all(histories)).flat());
  });
});
