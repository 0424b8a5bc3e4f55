import { z } from 'zod';
import { SliceDefinitionError } from './errors';

/**
 * What happens when two writers meet. `append`: records are only ever added (the oldest may be dropped). `lastWrite`:
 * the later event wins. `compareAndSet`: an event says what it expects to replace, and loses if that is gone.
 */
export type ConflictPolicy = 'append' | 'lastWrite' | 'compareAndSet';

export interface ReducerContext {
  /** The type of the event. */
  readonly type: string;
  /** The version that the session has once the event is applied. */
  readonly version: number;
}

/** Pure: the same records for the same arguments, everywhere and for ever. What it is given is frozen. */
export type Reducer<R, V = R> = (records: readonly R[], value: V, context: ReducerContext) => readonly R[];

/** Which record an event replaces: its key, and the token it had when the writer looked (null: there was none). */
export interface Expectation {
  readonly key: string;
  readonly token: string | null;
}

/** A reducer for values that do not have the form of the slice's records. */
export interface Handler<R> {
  readonly value: z.ZodType;
  readonly reduce: Reducer<R, never>;
  readonly expects?: ((value: never) => Expectation) | undefined;
}

export interface Comparison<R> {
  readonly key: (record: R) => string;
  /** Changes whenever the record does, for example a content hash. */
  readonly token: (record: R) => string | null;
  /** What holds for a key without a record: `expectNull` (the default), or `acceptAny` when its first state is not in the session. */
  readonly absent?: 'expectNull' | 'acceptAny';
}

export interface SliceInput<R extends object> {
  readonly name: string;
  /** Raise it when the meaning of the records changes and their JSON Schema does not. Left out means 1. */
  readonly version?: number;
  readonly record: z.ZodType<R>;
  readonly conflict: ConflictPolicy;
  /** Needed for `compareAndSet`, and only there. */
  readonly compare?: Comparison<NoInfer<R>>;
  readonly on: Readonly<Record<string, Reducer<NoInfer<R>> | Handler<NoInfer<R>>>>;
  /** Lines for the summary that a delegate gets of a snapshot. Left out, the slice is counted. */
  readonly summarize?: (records: readonly NoInfer<R>[]) => readonly string[];
}

/** What the engine calls: types are checked where a slice is defined, values when they come in. */
export interface ErasedHandler {
  /** Undefined: the value is a record. */
  readonly value: z.ZodType | undefined;
  readonly reduce: (records: readonly never[], value: never, context: ReducerContext) => unknown;
  readonly expects: ((value: never) => Expectation) | undefined;
}

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
 * Gives a reducer a value of its own form; `expects` is for slices with compare-and-set. Write the type of the records at
 * the reducer: the compiler compares it with the slice, but cannot guess it.
 */
export function reducing<R, V>(
  value: z.ZodType<V>,
  reduce: Reducer<R, NoInfer<V>>,
  expects?: (value: NoInfer<V>) => Expectation,
): Handler<R> {
  return { value, reduce, expects };
}

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

function checkSlice({ name, version, conflict, compare, on }: Slice): void {
  const refuse = (reason: string): never => {
    throw new SliceDefinitionError(name, reason);
  };
  const handlers = Object.entries(on);
  for (const word of [name, ...handlers.map(([type]) => type)]) {
    const checked = nameSchema.safeParse(word);
    if (!checked.success) refuse(`the name "${word}" ${checked.error.issues[0]?.message ?? 'is invalid'}`);
  }
  if (!Number.isInteger(version) || version < 1) refuse('the version must be a whole number from 1');
  if (handlers.length === 0) refuse('it listens to no event');
  if ((conflict === 'compareAndSet') !== (compare !== undefined)) refuse('compareAndSet and `compare` go together');
  const blind = handlers.find(([, { expects }]) => (conflict === 'compareAndSet') !== (expects !== undefined));
  if (blind !== undefined) refuse(`"${blind[0]}": events say what they expect if, and only if, the slice compares`);
}
