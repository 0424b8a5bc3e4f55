import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base';
import type { ChildProcess } from 'node:child_process';
import { connectClient, createBaton } from '../../../client';
import { genAiContents } from '../../../temporal-config/gen-ai';
import { failFirstAttempts, fail, say, scriptByTurn, useTool } from '../../../testing/scripted-model';
import { type CollectedSpan, Collector, ownName } from '../../support/collector';
import { Harness, testAddress } from '../../support/harness';
import { startTracedWorker } from '../../support/traced-worker';
import { until } from '../../support/until';
import { kill } from '../../support/worker-process';

const secret = 'sk-ant-0123456789abcdefghij';
const long = 'lengthy '.repeat(2_000);

describe('a run that a traced program starts', () => {
  let harness: Harness;
  let collector: Collector;
  let worker: ChildProcess;
  let spans: readonly CollectedSpan[];
  let failed: readonly CollectedSpan[];
  const provider = new BasicTracerProvider();
  const caller = provider.getTracer('test').startSpan('handle request');
  const { traceId, spanId } = caller.spanContext();

  beforeAll(async () => {
    trace.setGlobalTracerProvider(provider);
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    harness = await Harness.start(
      scriptByTurn(
        useTool('write_artifact', { name: 'report.md', content: `${secret} ${long}` }),
        useTool('read_artifact', { name: 'nothing.md' }),
        say('The report is written.'),
      ),
      { withWorker: false },
    );
    collector = await Collector.start();
    worker = await startTracedWorker(harness, { BATON_TRACES_URL: collector.url, BATON_TRACE_CONTENTS: 'true' });
    const describe = 'the test server';
    const connectionOptions = { address: testAddress() };
    const { client, close } = await connectClient({
      kind: 'configured',
      connectionOptions,
      namespace: 'default',
      describe,
    });
    const baton = createBaton(client, { taskQueue: harness.taskQueue });
    const run = await context.with(trace.setSpan(context.active(), caller), () =>
      baton.startRun({ goal: 'Write the report for bearer abcdefghijklmnop.' }),
    );
    expect(await run.result()).toMatchObject({ kind: 'completed' });
    const ended = (): readonly CollectedSpan[] => collector.spans.filter((span) => ownName(span) === 'baton.run');
    spans = await until(() => (ended().length === 1 ? [...collector.spans] : undefined));
    // A second one without a caller, which fails.
    harness.model.setScript(failFirstAttempts([], () => fail(401)));
    expect(await (await baton.startRun({ goal: 'Fail.' })).result()).toMatchObject({ kind: 'failed' });
    await until(() => (ended().length === 2 ? true : undefined));
    failed = collector.spans.filter((span) => span.traceId !== traceId);
    await close();
  });
  afterAll(async () => {
    await kill(worker, 'SIGTERM');
    await harness.close();
    await collector.close();
    context.disable();
    trace.disable();
  });

  const named = (name: string): CollectedSpan[] => spans.filter((span) => ownName(span) === name);
  const contentOf = (span: CollectedSpan | undefined, name: keyof typeof genAiContents): string =>
    String(span?.attributes[genAiContents[name]]);

  test('continues the trace of that program, and any other run has its own', () => {
    const [run] = named('baton.run');
    expect(run).toMatchObject({ name: 'invoke_agent baton/agent', traceId, parentSpanId: spanId });
    expect(new Set(spans.map((span) => span.traceId))).toEqual(new Set([traceId]));
    expect(new Set(failed.map((span) => span.traceId)).size).toBe(1);
  });

  test('shows the type of a failure on every span that failed because of it', () => {
    const turn = failed.find((span) => ownName(span) === 'baton.turn');
    const run = failed.find((span) => ownName(span) === 'baton.run');
    for (const span of [turn, run])
      expect(span).toMatchObject({
        attributes: { 'error.type': 'Model.Unauthorized' },
        status: { code: 2, message: 'Model.Unauthorized' },
      });
    const [, read] = named('baton.tool');
    expect(read).toMatchObject({ attributes: { 'error.type': 'tool_error', 'baton.tool_error': true } });
  });

  test('shows what was written, if that is wanted: without secrets, and cut', () => {
    const [run] = named('baton.run');
    expect(JSON.parse(contentOf(run, 'inputMessages'))).toEqual([
      { role: 'user', parts: [{ type: 'text', content: 'Write the report for bearer [secret removed]' }] },
    ]);
    expect(contentOf(run, 'outputMessages')).toContain('The report is written.');
    const [write, read] = named('baton.tool');
    const written = contentOf(write, 'toolArguments');
    expect(written).toContain('[secret removed] lengthy lengthy');
    expect(written).toMatch(/… \[\d+ characters\]$/);
    expect(written.length).toBeLessThan(4_200);
    expect(contentOf(read, 'toolResult')).toContain('nothing.md');
    const [first, second] = named('baton.turn');
    expect(JSON.parse(contentOf(first, 'outputMessages'))).toMatchObject([
      { role: 'assistant', parts: [{ type: 'tool_call', name: 'write_artifact' }] },
    ]);
    expect(JSON.parse(contentOf(second, 'inputMessages'))).toMatchObject([
      { role: 'tool', parts: [{ type: 'tool_call_response', response: expect.any(String) as unknown }] },
    ]);
    expect(JSON.stringify(spans)).not.toContain(secret);
  });
});
