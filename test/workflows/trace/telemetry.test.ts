import { temporal } from '@temporalio/proto';
import { Worker } from '@temporalio/worker';
import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { RunResult } from '../../../domain/agent';
import { freePorts } from '../../../scripts/cluster/services/service';
import { failFirstAttempts, overloaded, say, scriptByTurn, useTool } from '../../../testing/scripted-model';
import { genAiContents } from '../../../temporal-config/gen-ai';
import { readRecorded, recordedFiles } from '../../replay/recorded';
import { type CollectedSpan, Collector, ownName } from '../../support/collector';
import { byDepth, dispatch } from '../../support/delegation-script';
import { screenLines } from '../../support/doc-screens';
import { Harness, type RunHandle } from '../../support/harness';
import { monitoredMetrics } from '../../support/metric-names';
import { tracedWorkflowBundle, workflowBundle } from '../../support/paths';
import { startTracedWorker } from '../../support/traced-worker';
import { until } from '../../support/until';
import { kill } from '../../support/worker-process';

describe('a worker with metrics and traces', () => {
  let harness: Harness;
  let collector: Collector;
  let worker: ChildProcess;
  let metricsAddress: string;
  let handle: RunHandle;
  let result: RunResult;
  let spans: readonly CollectedSpan[];

  beforeAll(async () => {
    const script = byDepth(
      scriptByTurn(useTool('dispatch_subagent', dispatch()), say('The child counted.')),
      failFirstAttempts([overloaded()], scriptByTurn(useTool('add_note', { text: 'seven' }), say('There are seven.'))),
    );
    harness = await Harness.start(script, { withWorker: false });
    collector = await Collector.start();
    metricsAddress = `127.0.0.1:${(await freePorts(1)).join()}`;
    worker = await startTracedWorker(harness, {
      BATON_METRICS_ADDRESS: metricsAddress,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    });
    // A delegation that takes several turns in one activity would retry all of them in its first turn.
    handle = await harness.startRun({ tuning: { turnsPerActivity: 1 } });
    result = await handle.result();
    spans = await until(() =>
      collector.spans.some((span) => ownName(span) === 'baton.run') ? collector.spans : undefined,
    );
  });
  afterAll(async () => {
    await kill(worker, 'SIGTERM');
    // This also replays what was recorded with traces, using code without.
    await harness.close();
    await collector.close();
  });

  const named = (name: string): CollectedSpan[] => spans.filter((span) => ownName(span) === name);
  const only = (name: string): CollectedSpan => {
    expect(named(name)).toHaveLength(1);
    return named(name)[0]!;
  };
  const below = (parent: CollectedSpan): CollectedSpan[] =>
    spans.filter(({ parentSpanId }) => parentSpanId === parent.spanId);

  test('has one trace for the run, which can be found by its run id', () => {
    const traceId = handle.firstExecutionRunId.replaceAll('-', '');
    expect([...new Set(spans.map((span) => span.traceId))]).toEqual([traceId]);
    expect(only('baton.run').parentSpanId).toBeUndefined();
    expect(only('baton.run').attributes).toMatchObject({
      'baton.run_id': handle.workflowId.slice('run/'.length),
      'baton.model': 'claude-sonnet-5-5',
      'baton.outcome': 'completed',
      temporalWorkflowId: handle.workflowId,
      run_id: handle.firstExecutionRunId,
    });
  });

  test('shows turns and the delegation below the run, and what the delegation did below that', () => {
    const run = only('baton.run');
    const delegation = only('baton.delegation');
    expect(below(run).map(ownName).sort()).toEqual([
      'baton.delegation',
      'baton.openRun',
      'baton.prepareDelegations',
      'baton.recordEnding',
      'baton.turn',
      'baton.turn',
    ]);
    expect(below(delegation).map(ownName).sort()).toEqual(['baton.tool', 'baton.turn', 'baton.turn']);
    expect(delegation.attributes).toMatchObject({ 'baton.depth': 1, 'baton.prompt': 'baton/subagent' });
    expect(only('baton.tool').attributes).toMatchObject({ 'baton.tool': 'add_note', 'baton.tool_error': false });
  });

  test('names agents, model calls and tools as the conventions for generative AI do', () => {
    const tree = (span: CollectedSpan): unknown => [
      span.name,
      ...below(span)
        .filter(({ attributes }) => attributes['gen_ai.operation.name'] !== undefined)
        .sort((one, other) => (one.startTimeUnixNano < other.startTimeUnixNano ? -1 : 1))
        .map(tree),
    ];
    const chat = ['chat claude-sonnet-5-5'];
    expect(tree(only('baton.run'))).toEqual([
      'invoke_agent baton/agent',
      chat,
      ['invoke_agent baton/subagent', chat, ['execute_tool add_note'], chat],
      chat,
    ]);
    const runId = handle.workflowId.slice('run/'.length);
    const delegation = only('baton.delegation');
    expect(delegation.attributes).toMatchObject({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.id': delegation.attributes['temporalWorkflowId'],
      'gen_ai.agent.name': 'baton/subagent',
      'gen_ai.conversation.id': runId,
      'gen_ai.provider.name': 'anthropic',
      'gen_ai.request.model': 'claude-sonnet-5-5',
    });
    expect(only('baton.tool').attributes).toMatchObject({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'add_note',
      'gen_ai.tool.type': 'function',
      'gen_ai.tool.call.id': only('baton.tool').attributes['baton.tool_call_id'],
      'gen_ai.agent.id': delegation.attributes['temporalWorkflowId'],
    });
    for (const { kind, attributes } of named('baton.turn')) {
      expect(kind).toBe(3);
      expect(attributes).toMatchObject({
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': 'claude-sonnet-5-5',
        'gen_ai.response.model': 'claude-sonnet-5-5',
        'gen_ai.request.max_tokens': 1_000,
        'gen_ai.usage.output_tokens': attributes['baton.tokens.output'],
        'gen_ai.usage.cache_read.input_tokens': attributes['baton.tokens.cache_read'],
        'gen_ai.usage.cache_creation.input_tokens': attributes['baton.tokens.cache_write'],
      });
      const kinds = ['input', 'cache_read', 'cache_write'].map((one) => Number(attributes[`baton.tokens.${one}`]));
      expect(attributes['gen_ai.usage.input_tokens']).toBe(kinds.reduce((sum, tokens) => sum + tokens, 0));
    }
    const reasons = named('baton.turn').flatMap(({ attributes }) => attributes['gen_ai.response.finish_reasons']);
    expect(reasons.sort()).toEqual(['stop', 'stop', 'tool_call', 'tool_call']);
  });

  test('contains nothing that users, models and tools wrote', () => {
    const names = spans.flatMap(({ attributes }) => Object.keys(attributes));
    expect(names.filter((name) => Object.values<string>(genAiContents).includes(name))).toEqual([]);
    expect(JSON.stringify(spans)).not.toContain('seven');
  });

  test('shows the usage of each turn, which adds up to what the run reports', () => {
    const turns = below(only('baton.run')).filter((span) => ownName(span) === 'baton.turn');
    expect(turns.map(({ attributes }) => attributes['baton.turn']).sort()).toEqual([1, 2]);
    const sum = (kind: string): number =>
      turns.reduce((total, { attributes }) => total + Number(attributes[`baton.tokens.${kind}`]), 0);
    expect(sum('input')).toBe(result.usage.input);
    expect(sum('output')).toBe(result.usage.output);
  });

  test('shows every attempt below its turn, and which of them failed', () => {
    const [first] = below(only('baton.delegation')).filter(({ attributes }) => attributes['baton.turn'] === 1);
    const attempts = below(first!);
    expect(attempts.map(({ name }) => name)).toEqual(['RunActivity:runTurn', 'RunActivity:runTurn']);
    expect(attempts.map(({ attributes }) => attributes['baton.attempt'])).toEqual([1, 2]);
    expect(first!.status.code).toBe(1);
    expect(BigInt(first!.startTimeUnixNano)).toBeLessThanOrEqual(BigInt(first!.endTimeUnixNano));
  });

  test('is drawn in the docs', async () => {
    const drawn = (span: CollectedSpan, depth: number): string[] => [
      `${'  '.repeat(depth)}${span.name}`,
      ...below(span)
        .sort((a, b) => Number(BigInt(a.startTimeUnixNano) - BigInt(b.startTimeUnixNano)))
        .flatMap((child) => drawn(child, depth + 1)),
    ];
    const screen = await screenLines('observability.md', 'trace');
    const shown = screen.map((line) => {
      const [, indent = '', name = ''] = /^([│├└─ ]*)(\S+(?: \S+)*)/.exec(line) ?? [];
      return `${'  '.repeat(indent.length / 4)}${name}`;
    });
    expect(drawn(only('baton.run'), 0)).toEqual(shown);
  });

  test('counts tokens and retries, for Prometheus to fetch', async () => {
    const metrics = await (await fetch(`http://${metricsAddress}/metrics`)).text();
    const { usage, delegatedUsage } = result;
    const expected = (['input', 'cacheRead', 'cacheWrite', 'output'] as const).map(
      (kind) => usage[kind] + delegatedUsage[kind],
    );
    const counted = ['input', 'cacheRead', 'cacheWrite', 'output'].map((kind) =>
      total(metrics, 'baton_tokens_total', `kind="${kind}"`, 'model="claude-sonnet-5-5"'),
    );
    expect(counted).toEqual(expected);
    expect(counted[3]).toBeGreaterThan(0);
    expect(total(metrics, 'baton_tokens_total', 'workflowType="delegationWorkflow"', 'kind="output"')).toBe(
      delegatedUsage.output,
    );
    // The scripted model was overloaded once in each of the delegation's two turns.
    expect(total(metrics, 'baton_model_retries_total')).toBe(2);
    expect(harness.model.calls).toHaveLength(4 + 2);
    const documented = (await screenLines('observability.md', 'metrics')).filter((line) => line.startsWith('baton_'));
    expect(documented.length).toBeGreaterThan(2);
    for (const line of documented) {
      const labels = [...line.matchAll(/\w+="[^"]*"/g)].map(([label]) => label);
      expect([line, total(metrics, line.slice(0, line.indexOf('{')), ...labels) > 0]).toEqual([line, true]);
    }
    // Temporal's own metrics are served as well.
    expect(metrics).toContain('temporal_worker_task_slots_available');
  });

  test('serves every metric that the dashboard and the alert rules name', async () => {
    const metrics = await (await fetch(`http://${metricsAddress}/metrics`)).text();
    const missing = monitoredMetrics().filter((name) => !new RegExp(`^${name}[{ ]`, 'm').test(metrics));
    // These appear with the first failure, which this run does not have. The code that counts them knows their names.
    expect(missing.filter((name) => !countedInTrouble.includes(name))).toEqual([]);
    const sdk = readFileSync(require.resolve(`@temporalio/core-bridge/releases/${nativeTarget()}/index.node`));
    for (const name of missing.filter((each) => each.startsWith('temporal_')))
      expect(sdk.includes(name.slice('temporal_'.length))).toBe(true);
  });
});

/** Metrics that a worker without any trouble does not serve. */
const countedInTrouble = [
  'baton_cost_micro_usd_total',
  'baton_parked_total',
  'temporal_request_failure',
  'temporal_workflow_failed',
  'temporal_workflow_task_execution_failed',
];

function nativeTarget(): string {
  const arch = process.arch === 'arm64' ? 'aarch64' : 'x86_64';
  return `${arch}-${process.platform === 'darwin' ? 'apple-darwin' : 'unknown-linux-gnu'}`;
}

describe('workflow code with traces', () => {
  test('is not in the bundle of a worker without', () => {
    expect(readFileSync(workflowBundle.codePath, 'utf8')).not.toContain('batonTraces');
  });

  test('replays every history that was recorded without', async () => {
    expect(readFileSync(tracedWorkflowBundle.codePath, 'utf8')).toContain('batonTraces');
    const { History } = temporal.api.history.v1;
    const recorded = recordedFiles().map((file) => {
      const { workflowId, history } = readRecorded(file);
      return { workflowId, history: History.fromObject(history) };
    });
    const sinks = { batonTraces: { finished: { fn: () => undefined } } };
    const outcomes: unknown[] = [];
    for await (const { error } of Worker.runReplayHistories({ workflowBundle: tracedWorkflowBundle, sinks }, recorded))
      outcomes.push(error);
    expect(outcomes).toEqual(recorded.map(() => undefined));
  });
});

/** Returns the sum over all time series of a counter that have these labels. */
function total(metrics: string, counter: string, ...labels: readonly string[]): number {
  return metrics
    .split('\n')
    .filter((line) => line.startsWith(`${counter}{`) && labels.every((label) => line.includes(label)))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}
