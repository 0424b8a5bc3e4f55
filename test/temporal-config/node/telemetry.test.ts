import { createServer, type AddressInfo } from 'node:net';
import { InMemorySpanExporter, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import { redactSecrets } from '../../../domain/kernel';
import type { Store } from '../../../domain/store';
import { readSettings } from '../../../temporal-config/node/settings';
import { metricsAt } from '../../../temporal-config/node/telemetry-settings';
import { contentAttributes } from '../../../worker/trace/telemetry-contents';
import { reportExportFailures } from '../../../worker/trace/telemetry-export';
import { MemoryRunStore } from '../../store/support/memory-run-store';
import { failureOf } from '../support/failure';

const home = { HOME: '/home/somebody' };

describe('the settings of metrics and traces', () => {
  test('both are off by default', async () => {
    const { metricsAddress, tracesUrl, traceContents } = readSettings(home);
    expect([metricsAddress, tracesUrl, traceContents]).toEqual([undefined, undefined, false]);
    expect(await metricsAt(metricsAddress)).toEqual({});
  });

  test.each([
    [{ BATON_TRACES_URL: 'http://127.0.0.1:4318/v1/traces' }, 'http://127.0.0.1:4318/v1/traces'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }, 'http://127.0.0.1:4318/v1/traces'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://otel.example/in/' }, 'https://otel.example/in/v1/traces'],
    [
      { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://a.example/t', OTEL_EXPORTER_OTLP_ENDPOINT: 'https://b.example' },
      'https://a.example/t',
    ],
    [
      { BATON_TRACES_URL: 'https://a.example/t', OTEL_EXPORTER_OTLP_ENDPOINT: 'https://b.example' },
      'https://a.example/t',
    ],
  ])('%j sends traces to %s', (env, url) => {
    expect(readSettings({ ...home, ...env }).tracesUrl).toBe(url);
  });

  test('contents are recorded only if that is said', () => {
    expect(readSettings({ ...home, BATON_TRACE_CONTENTS: 'true' }).traceContents).toBe(true);
    expect(readSettings({ ...home, BATON_TRACE_CONTENTS: 'false' }).traceContents).toBe(false);
  });

  test.each(['127.0.0.1:9464', '0.0.0.0:1', '[::1]:65535'])('metrics may be served at %s', (address) => {
    expect(readSettings({ ...home, BATON_METRICS_ADDRESS: address }).metricsAddress).toBe(address);
  });

  test.each([
    ['BATON_METRICS_ADDRESS', '9464', 'an IP address and a port, such as 127.0.0.1:9464'],
    ['BATON_METRICS_ADDRESS', 'localhost:9464', 'an IP address and a port'],
    ['BATON_METRICS_ADDRESS', '127.0.0.1:0', 'an IP address and a port'],
    ['BATON_METRICS_ADDRESS', '127.0.0.1:65536', 'an IP address and a port'],
    ['BATON_METRICS_ADDRESS', '300.0.0.1:9464', 'an IP address and a port'],
    ['BATON_METRICS_ADDRESS', '::1:9464', 'an IP address and a port'],
    ['BATON_TRACES_URL', '127.0.0.1:4318', 'an http or https address'],
    ['BATON_TRACES_URL', 'grpc://127.0.0.1:4317', 'an http or https address'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector', 'an http or https address'],
    ['BATON_TRACE_CONTENTS', 'yes', 'true or false'],
  ])('%s=%s is refused with its name and what is allowed', async (name, value, allowed) => {
    const failure = await failureOf(() => readSettings({ ...home, [name]: value }));
    expect(failure).toMatchObject({ setting: name });
    expect(failure.message).toContain(`${name}: "${value}"`);
    expect(failure.remedy).toContain(allowed);
  });
});

describe('a metrics address that is in use', () => {
  const other = createServer();
  beforeAll(() => new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve)));
  afterAll(() => new Promise((resolve) => other.close(resolve)));

  test('is named in the error, with what to do', async () => {
    const address = `127.0.0.1:${(other.address() as AddressInfo).port}`;
    const failure = await failureOf(metricsAt(address));
    expect(failure).toMatchObject({ setting: 'BATON_METRICS_ADDRESS' });
    expect(failure.message).toContain(`can't listen on ${address}`);
    expect(failure.remedy).toContain('a free port');
  });
});

describe('a collector that cannot be reached', () => {
  test('is logged once, and once more when it is reachable again', async () => {
    const stopped = new InMemorySpanExporter();
    await stopped.shutdown();
    let collector = stopped;
    const exporter: SpanExporter = {
      export: (spans, done) => collector.export([...spans], done),
      shutdown: () => Promise.resolve(),
    };
    const said: string[] = [];
    const telling = reportExportFailures(exporter, 'http://127.0.0.1:4318/v1/traces', (line) => said.push(line));
    const send = (): Promise<unknown> => new Promise((resolve) => telling.export([], resolve));
    await send();
    await send();
    expect(said).toEqual([
      expect.stringContaining("can't be sent to http://127.0.0.1:4318/v1/traces (Exporter has been"),
    ]);
    collector = new InMemorySpanExporter();
    await send();
    await send();
    expect(said).toHaveLength(2);
    expect(said[1]).toContain('again');
  });
});

describe('the contents of a span', () => {
  const store = new MemoryRunStore();
  const source = { store: { forRun: () => store } as unknown as Store, redact: redactSecrets };
  const attributes = (contents: Record<string, unknown>) => contentAttributes(source, 'r1', { contents });

  test('are loaded from the store, and secrets are removed', async () => {
    const ref = await store.put(Buffer.from('a long text with sk-ant-0123456789abcdef'), 'text/plain');
    expect(await attributes({ a: { ref }, b: [{ content: { text: 'x' } }, 7, null], c: undefined })).toEqual({
      a: 'a long text with [secret removed]',
      b: '[{"content":"x"},7,null]',
    });
  });

  test('are cut one by one, and all together', async () => {
    const { one } = await attributes({ one: { text: 'x'.repeat(5_000) } });
    expect(one).toBe(`${'x'.repeat(4_096)}… [5000 characters]`);
    const { many } = await attributes({ many: Array.from({ length: 100 }, () => ({ text: 'y'.repeat(4_000) })) });
    expect(String(many).length).toBeLessThan(70_000);
    expect(String(many)).toContain('"… [4000 characters]"');
  });

  test('are described if they are not in the store', async () => {
    const ref = { hash: 'f'.repeat(64), bytes: 3, mediaType: 'text/plain' };
    expect((await attributes({ a: { ref } }))['a']).toMatch(/^\[not available: /);
  });
});
