/** Names of what can be watched. Dashboards and alerts depend on them: they are public API. */
export const counters = {
  tokens: 'baton_tokens_total',
  cost: 'baton_cost_micro_usd_total',
  retries: 'baton_model_retries_total',
  parked: 'baton_parked_total',
} as const;

/** Spans of executions, by workflow type, and of activities, by activity type; others are `baton.` and their type. */
export const spanNames: Readonly<Record<string, string>> = {
  runWorkflow: 'baton.run',
  delegationWorkflow: 'baton.delegation',
  sessionWorkflow: 'baton.session',
  callModel: 'baton.turn',
  executeTool: 'baton.tool',
};

/** The header that Temporal's own OpenTelemetry interceptors use, so that spans of a caller and of Baton are one trace. */
export const traceHeader = '_tracer-data';

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** A span as it leaves the sandbox: plain data, with times as they stand in history. */
export interface FinishedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly attributes: SpanAttributes;
  /** The type of what failed, when something did. No message: it may quote the user. */
  readonly failure?: string;
}

/** What workflow code tells the worker about traces. No interface: the SDK wants an index signature. */
export type TraceSinks = { readonly batonTraces: { finished(span: FinishedSpan): void } };
