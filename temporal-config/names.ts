/** Names of Baton's metrics. Dashboards and alerts depend on them, so they are public API. */
export const counters = {
  tokens: 'baton_tokens_total',
  cost: 'baton_cost_micro_usd_total',
  retries: 'baton_model_retries_total',
  parked: 'baton_parked_total',
} as const;

/**
 * Baton's own names of spans, by workflow type and activity type. Every other type has the name `baton.` followed by it.
 * Spans that gen-ai.ts has a name for have this one as an attribute.
 */
export const spanNames: Readonly<Record<string, string>> = {
  runWorkflow: 'baton.run',
  delegationWorkflow: 'baton.delegation',
  sessionWorkflow: 'baton.session',
  relayWorkflow: 'baton.relay',
  runTurn: 'baton.turn',
  executeTool: 'baton.tool',
};

/**
 * The header that Temporal's own OpenTelemetry interceptors use, so that the spans of a caller and of Baton form one
 * trace.
 */
export const traceHeader = '_tracer-data';

/** Attributes of a span. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** A finished span as plain data, as it leaves the workflow sandbox. Times are those of the history. */
export interface FinishedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly attributes: SpanAttributes;
  /**
   * What users, models and tools wrote, by attribute: JSON in which a text may be `{text}`, or `{ref}` if it is in the
   * store. The worker drops it unless it was told to record contents.
   */
  readonly contents: Readonly<Record<string, unknown>>;
  /** Failure type, if something failed. The message is omitted because it may quote the user. */
  readonly failure?: string;
}

/**
 * The sink through which workflow code passes spans to the worker. A type, not an interface, because the SDK requires
 * an index signature.
 */
export type TraceSinks = {
  readonly batonTraces: { finished(span: FinishedSpan): void };
};

/** Task queue of runs and their activities, unless a deployment sets another one. */
export const defaultTaskQueue = 'baton';
