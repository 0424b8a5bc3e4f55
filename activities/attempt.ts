import { CancelledFailure, Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { gunzipSync, gzipSync } from 'node:zlib';
import { z } from 'zod';
import { checkValue, type FailureType } from '../domain/kernel';
import { isStoreTrouble, missingKeyOf, type Unsaved, unsavedSchema } from '../domain/store';
import { attemptLimit } from '../temporal-config/activity-options';
import { spreadRetry } from './spread-retry';

/** What an attempt at an activity leaves to the next one, in the details of its heartbeats. */
const notesSchema = z.object({
  /** Number of attempts that ended because the store could not be used. They don't count. */
  storeTrouble: z.int().nonnegative(),
  /** Number of attempts that ended because their worker was shutting down, or that only waited. They don't count either. */
  left: z.int().nonnegative().exactOptional(),
  /** Number of attempts that failed for another reason. Any others died. */
  failed: z.int().nonnegative().exactOptional(),
  /** The part of the work at which the last ones failed, and how many of them did. */
  part: z.object({ number: z.int().nonnegative(), failed: z.int().positive() }).exactOptional(),
  /** Number of attempts at work that must not be done twice which failed before the work began. */
  notBegun: z.int().nonnegative().exactOptional(),
  /** When the store could first not be used, ISO 8601; omitted if the last attempt ended for another reason. */
  since: z.iso.datetime().exactOptional(),
  unsaved: unsavedSchema.exactOptional(),
});
type Notes = z.infer<typeof notesSchema>;

/** Maximum bytes of `unsaved`. The server accepts two MiB, and a payload codec may need some of them. */
const maxUnsavedBytes = 1.5 * 1024 * 1024;

/** Returns the workflow id of the agent that scheduled the current activity. */
export function callingAgent(): string {
  return Context.current().info.workflowExecution?.workflowId ?? '';
}

const attempts = new WeakMap<Context, Attempt>();

/**
 * The current attempt at an activity. The server retries without a limit, and the limit is enforced here, because attempts
 * count by kind. Those that fail because of the store don't count: a run outlasts a disk that is full for hours. Nor do
 * those that a worker gave up because it was shutting down. Those that failed, and those that died, are each limited. The
 * server keeps the details of the last heartbeat between attempts, also when another worker makes the next one.
 */
export class Attempt {
  private notes: Notes;
  private readonly limit: number;
  /** Work that must not be done twice: none, expected, or begun. */
  private once: 'none' | 'expected' | 'begun' = 'none';
  /** The part of the work that is being done. */
  private part = 0;
  /** What this attempt waits for at the moment. */
  private waiting: string | undefined;

  private constructor(private readonly context: Context) {
    this.notes = checkValue(notesSchema, context.info.heartbeatDetails).data ?? { storeTrouble: 0 };
    this.limit = attemptLimit(context.info.activityType);
  }

  static current(): Attempt {
    const context = Context.current();
    const known = attempts.get(context);
    if (known !== undefined) return known;
    const attempt = new Attempt(context);
    attempts.set(context, attempt);
    return attempt;
  }

  /** Sends a heartbeat with the notes, if there are any, and with what it says about the progress of the work. */
  heartbeat(progress?: object): void {
    // Notes that this worker does not have the key of. Others have, and may need them.
    if (missingKeyOf(this.context.info.heartbeatDetails) !== undefined) return;
    const { storeTrouble, left = 0, failed = 0, unsaved } = this.notes;
    const isEmpty = storeTrouble + left + failed === 0 && unsaved === undefined;
    const said = this.waiting === undefined ? progress : { ...progress, waitsFor: this.waiting };
    if (isEmpty && said === undefined) this.context.heartbeat();
    else this.context.heartbeat({ ...said, ...(isEmpty ? {} : this.notes) });
  }

  /** Says what this attempt waits for, to whoever asks the server; undefined when it continues. */
  waitsFor(text: string | undefined): void {
    this.waiting = text;
    this.heartbeat();
  }

  /** Fails if too many earlier attempts ended without a word: their workers died, or they took too long. */
  assertWithinLimit(): void {
    if (this.died >= this.limit) throw interrupted('Worker.Lost', `It was interrupted ${this.limit} times`);
  }

  /** Call it when work that has several parts comes to another one: each may fail as often as the limit allows. */
  beginPart(number: number): void {
    this.part = number;
  }

  /** Announces that this attempt will do something that must not be done twice. */
  expectOnce(): void {
    this.once = 'expected';
  }

  /** Call it before work that must not be done twice. False if an earlier attempt may have begun it. */
  beginOnce(): boolean {
    const { failed = 0, notBegun = 0 } = this.notes;
    if (this.died + failed - notBegun > 0) return false;
    this.once = 'begun';
    return true;
  }

  /** Returns what an earlier attempt left under this key; undefined if nothing. */
  unsaved(key: string): Uint8Array | undefined {
    return unsavedBytes(this.notes.unsaved, key);
  }

  /** What is left to be stored; undefined if nothing is. */
  get left(): Unsaved | undefined {
    return this.notes.unsaved;
  }

  /** Leaves the bytes to the next attempt. Call it when they can't be stored, and then fail. False if they are too large. */
  leaveUnsaved(key: string, bytes: Uint8Array): boolean {
    const gzip = gzipSync(bytes).toString('base64');
    if (gzip.length > maxUnsavedBytes) return false;
    this.notes = { ...this.notes, unsaved: { key, gzip } };
    // What remains to be done may be repeated.
    this.once = 'none';
    this.heartbeat();
    return true;
  }

  /** Call it when what may have been left under this key is stored. */
  saved(key: string): void {
    const { unsaved, ...notes } = this.notes;
    if (unsaved?.key === key) this.notes = notes;
  }

  /** Returns the failure to end this attempt with: one that is retried, unless the limit is reached. */
  conclude(error: unknown, failure: unknown): unknown {
    if (error instanceof CancelledFailure) return failure;
    if (isStoreTrouble(error) && this.once !== 'begun') return this.withTrouble(failure);
    const { since: _, ...notes } = this.notes;
    if (isNoAttempt(failure) && this.once !== 'begun') {
      this.note({ ...notes, left: (notes.left ?? 0) + 1 });
      return failure;
    }
    const { isLast } = this;
    const begun = this.once === 'expected' ? { notBegun: (notes.notBegun ?? 0) + 1 } : {};
    const part = { number: this.part, failed: this.failedHere + 1 };
    this.note({ ...notes, failed: (notes.failed ?? 0) + 1, part, ...begun });
    if (isLast) return ApplicationFailure.fromError(failure, { nonRetryable: true });
    return failure instanceof ApplicationFailure ? spreadRetry(failure, this.context.info) : failure;
  }

  private withTrouble(failure: unknown): unknown {
    const since = this.notes.since ?? new Date().toISOString();
    this.note({ ...this.notes, storeTrouble: this.notes.storeTrouble + 1, since });
    if (!(failure instanceof ApplicationFailure)) return failure;
    return ApplicationFailure.fromError(failure, { details: [{ ...factsOf(failure), since }] });
  }

  /** Whether no other attempt follows if this one fails, unless because of the store or the worker. */
  get isLast(): boolean {
    return this.once === 'begun' || this.failedHere + 1 >= this.limit;
  }

  /** Number of earlier attempts whose worker died, or that took too long. */
  get died(): number {
    const { storeTrouble, left = 0, failed = 0 } = this.notes;
    return Math.max(0, this.context.info.attempt - 1 - storeTrouble - left - failed);
  }

  /** Number of earlier attempts that failed at the current part of the work. */
  private get failedHere(): number {
    const { part } = this.notes;
    return part?.number === this.part ? part.failed : 0;
  }

  /** Replaces the notes. The server keeps them although this attempt fails. */
  private note(changed: Notes): void {
    this.notes = changed;
    this.heartbeat();
  }
}

/** Returns the bytes that were left under this key; undefined if none were. */
export function unsavedBytes(unsaved: Unsaved | undefined, key: string): Uint8Array | undefined {
  return unsaved?.key === key ? gunzipSync(Buffer.from(unsaved.gzip, 'base64')) : undefined;
}

/**
 * Failures that say nothing about the work: the worker is shutting down, the provider's limit leaves no room yet, or what is
 * waited for still runs.
 */
const noAttempts: ReadonlySet<unknown> = new Set<FailureType>([
  'Worker.ShuttingDown',
  'Model.AtLimit',
  'Delegation.Running',
]);

function isNoAttempt(failure: unknown): boolean {
  return failure instanceof ApplicationFailure && noAttempts.has(failure.type);
}

/** Builds the failure of work that an earlier attempt did not bring to an end. */
export function interrupted(type: FailureType, what = 'It was interrupted'): ApplicationFailure {
  const message = `${what}: the worker died, or the time for one attempt was up`;
  return ApplicationFailure.create({ type, message, nonRetryable: true });
}

function factsOf({ details }: ApplicationFailure): object {
  const [facts] = details ?? [];
  return typeof facts === 'object' && facts !== null ? facts : {};
}
