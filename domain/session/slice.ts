import { z } from 'zod';
import { checkValue, firstIssue } from '../kernel';
import { canonicalText } from './frozen-records';
import { SliceDefinitionError } from './session-errors';

/**
 * How concurrent writes are resolved. `append`: records are only added, and the oldest may be dropped. `lastWrite`: the
 * later event wins. `compareAndSet`: an event states which version of a record it expects to replace, and fails with
 * `Session.Conflict` if the record has changed.
 */
export type ConflictPolicy = 'append' | 'lastWrite' | 'compareAndSet';

/** Facts about the event that a reducer handles. */
export interface ReducerContext {
  /** Type of the event. */
  readonly type: string;
  /** Version of the session after the event. */
  readonly version: number;
}

/**
 * Computes the records of a slice after an event. It runs in workflow code, also during replay, so it must be pure:
 * equal arguments give equal records, on every machine and in every later version. Its arguments are frozen; return a
 * new list, or the original one if nothing changes. To refuse an event, throw a `RefusedEventError`. Any other error
 * fails the event with `Session.ReducerFailed`.
 */
export type Reducer<R, V = R> = (records: readonly R[], value: V, context: ReducerContext) => readonly R[];

/**
 * The record that an event expects to replace, with the token that the writer saw; null when the record did not exist.
 */
export interface Expectation {
  readonly key: string;
  readonly token: string | null;
}

/** A reducer for events whose values are not records of the slice. Created by `eventHandler`. */
export interface Handler<R> {
  /** Schema of the event's value. */
  readonly value: z.ZodType;
  readonly reduce: Reducer<R, never>;
  /** Returns the record that the event expects to replace. For `compareAndSet` only. */
  readonly expects?: ((value: never) => Expectation) | undefined;
}

/** How a `compareAndSet` slice identifies and compares its records. */
interface Comparison<R> {
  /** Identifies the record within the slice. */
  readonly key: (record: R) => string;
  /** Must change whenever the record does, for example a content hash. */
  readonly token: (record: R) => string | null;
  /**
   * What an event for a key without a record must expect. `expectNull` (default): a null token. `acceptAny`: any token,
   * for records whose initial state is not in the session.
   */
  readonly absent?: 'expectNull' | 'acceptAny';
}

/** Definition of a session slice, for `defineSlice`. */
export interface SliceInput<R extends object> {
  /** Name of the slice: camelCase, at most 40 letters and digits, unique within the session schema. */
  readonly name: string;
  /**
   * Version of the records' meaning; default 1. Raise it when records that exist must no longer be read. Baton compares
   * only this number and whether the records fit the schema, not how the schema is written.
   */
  readonly version?: number;
  /**
   * Schema of one record. Records must be plain JSON, and the schema must not change what it checks (no defaults,
   * conversions or dropped keys).
   */
  readonly record: z.ZodType<R>;
  /** How concurrent writes are resolved. */
  readonly conflict: ConflictPolicy;
  /** Required for `compareAndSet`, and not allowed otherwise. */
  readonly compare?: Comparison<NoInfer<R>>;
  /**
   * One reducer per event type that the slice handles; at least one. A plain reducer receives a record as the event's
   * value. Use `eventHandler` for values with a schema of their own. Several slices may handle the same event type.
   */
  readonly on: Readonly<Record<string, Reducer<NoInfer<R>> | Handler<NoInfer<R>>>>;
  /**
   * Returns the slice's lines for the session summary in a delegation's prompt. Called when a delegation is composed,
   * not for an empty slice. Default: one line with the number of records. Return an empty list to omit the slice.
   */
  readonly summarize?: (records: readonly NoInfer<R>[]) => readonly string[];
}

/**
 * A handler without its static types. The compiler checks them where the slice is defined; schemas check values at run
 * time.
 */
export interface ErasedHandler {
  /** Schema of the event's value; undefined when the value is a record. */
  readonly value: z.ZodType | undefined;
  readonly reduce: (records: readonly never[], value: never, context: ReducerContext) => unknown;
  readonly expects: ((value: never) => Expectation) | undefined;
}

/** A defined slice. Create it with `defineSlice`, and read its records with `recordsOf`. */
export interface Slice<R = unknown> {
  readonly name: string;
  readonly version: number;
  readonly record: z.ZodType<R>;
  readonly conflict: ConflictPolicy;
  readonly compare: Comparison<never> | undefined;
  readonly on: Readonly<Record<string, ErasedHandler>>;
  readonly summarize: ((records: readonly never[]) => readonly string[]) | undefined;
}

const nameSchema = z.string().regex(/^[a-z][a-zA-Z0-9]{0,39}$/, 'must be camelCase, at most 40 letters and digits');

/**
 * Creates a handler for events whose value has a schema of its own. `expects` is required for a `compareAndSet` slice,
 * and not allowed otherwise. Annotate the reducer's records with their type: the compiler checks it against the slice,
 * but cannot infer it.
 */
export function eventHandler<R, V>(
  value: z.ZodType<V>,
  reduce: Reducer<R, NoInfer<V>>,
  expects?: (value: NoInfer<V>) => Expectation,
): Handler<R> {
  return { value, reduce, expects };
}

/**
 * Defines a session slice: a named list of records, and the events that change it. Throws a `SliceDefinitionError` if
 * the definition breaks the rules of `SliceInput`. Call it at module level of your workflow entry, and pass the slice
 * to `createWorkflows({ slices })`. Adding a slice is safe for runs in flight.
 *
 * @example
 * ```ts
 * import { defineSlice, eventHandler, upsertBy } from 'baton-agents/workflows';
 * import { z } from 'zod';
 *
 * const riskSchema = z.strictObject({ id: z.string(), text: z.string() });
 * type Risk = z.infer<typeof riskSchema>;
 *
 * export const risksSlice = defineSlice({
 *   name: 'risks',
 *   record: riskSchema,
 *   conflict: 'lastWrite',
 *   on: {
 *     riskFound: upsertBy('id'),
 *     riskSolved: eventHandler(z.strictObject({ id: z.string() }), (risks: readonly Risk[], { id }) =>
 *       risks.filter((risk) => risk.id !== id),
 *     ),
 *   },
 *   summarize: (risks) => risks.map(({ id, text }) => `- risk ${id}: ${text}`),
 * });
 * ```
 */
export function defineSlice<R extends object>(input: SliceInput<R>): Slice<R> {
  const { name, version = 1, record, conflict, compare, summarize } = input;
  const handlers = Object.entries(input.on).map(([type, handler]) => [type, erased(handler)] as const);
  const slice = { name, version, record, conflict, compare, on: Object.fromEntries(handlers), summarize };
  checkSlice(slice);
  return slice;
}

function erased<R>(handler: Reducer<R> | Handler<R>): ErasedHandler {
  if (typeof handler === 'function') return { value: undefined, reduce: handler, expects: undefined };
  return { value: handler.value, reduce: handler.reduce, expects: handler.expects };
}

function checkSlice({ name, version, record, conflict, compare, on }: Slice): void {
  const refuse = (reason: string): never => {
    throw new SliceDefinitionError(name, reason);
  };
  const handlers = Object.entries(on);
  for (const identifier of [name, ...handlers.map(([type]) => type)]) {
    const checked = checkValue(nameSchema, identifier);
    if (!checked.success) refuse(`the name "${identifier}" ${firstIssue(checked.error).reason}`);
  }
  const unfit = notPlainJson(record);
  if (unfit !== undefined) refuse(`its records are not plain JSON: ${unfit}`);
  if (!Number.isInteger(version) || version < 1) refuse('the version must be a positive integer');
  if (handlers.length === 0) refuse('it handles no events');
  const compares = conflict === 'compareAndSet';
  if (compares !== (compare !== undefined)) {
    refuse('`compare` is required for the conflict policy compareAndSet, and not allowed for any other');
  }
  const mismatched = handlers.find(([, { expects }]) => compares !== (expects !== undefined));
  if (mismatched !== undefined) {
    refuse(
      `"${mismatched[0]}": \`expects\` is required for the conflict policy compareAndSet, and not allowed for any other`,
    );
  }
}

/** Returns why records of this schema are not plain JSON: dates, maps and transforms have no JSON Schema. */
function notPlainJson(record: z.ZodType): string | undefined {
  try {
    z.toJSONSchema(record);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** A reducer for slices of any record type that has the properties of `Least`. */
type AnyReducer<Least extends object> = <R extends Least>(records: readonly R[], value: R) => readonly R[];

/** Reducer that adds the value at the end, unless an equal record exists. Repeating an event has no effect. */
export function append(): AnyReducer<object> {
  return (records, value) => {
    const text = canonicalText(value);
    return records.some((record) => canonicalText(record) === text) ? records : [...records, value];
  };
}

/**
 * Reducer that replaces the record with the same key in place, or adds the value at the end. The key is a field name or
 * a function.
 */
export function upsertBy<K extends string>(field: K): AnyReducer<Readonly<Record<K, string>>>;
export function upsertBy<R extends object>(key: (record: R) => string): Reducer<R>;
export function upsertBy(key: string | ((record: never) => string)): AnyReducer<object> {
  const keyOf = (record: object): unknown =>
    typeof key === 'string' ? (record as Readonly<Record<string, unknown>>)[key] : key(record as never);
  return (records, value) => {
    const at = records.findIndex((record) => keyOf(record) === keyOf(value));
    return at === -1 ? [...records, value] : [...records.slice(0, at), value, ...records.slice(at + 1)];
  };
}

/** Reducer that keeps only the newest record. */
export function replaceLatest(): AnyReducer<object> {
  return (_records, value) => [value];
}
