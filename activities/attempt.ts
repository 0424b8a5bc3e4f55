import { CancelledFailure, Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { gunzipSync, gzipSync } from 'node:zlib';
import { z } from 'zod';
import type { FailureType } from '../domain/kernel';
import { isStoreTrouble } from '../domain/store';
import { attemptLimit } from '../temporal-config/activity-options';
import { spreadRetry } from './spread-retry';

/** What an attempt at an activity leaves to the next one, in the details of its heartbeats. */
const notesSchema = z.object({
  /** Number of attempts that ended because the store could not be used. They don't count. */
  storeTrouble: z.int().nonnegative(),
  /** Number of attempts that only waited for the provider's rate limit. They don't count. */
  waited: z.int().nonnegative().exactOptional(),
  /** Number of attempts that failed for another reason. Any others died. */
  failed: z.int().nonnegative().exactOptional(),
  /** Number of attempts at work that must not be done twice which failed before the work began. */
  notBegun: z.int().nonnegative().exactOptional(),
  /** When the store could first not be used, ISO 8601; omitted if the last attempt ended for another reason. */
  since: z.iso.datetime().exactOptional(),
  /** Something that can't be had again and is not stored yet: its journal key, and its bytes, compressed. */
  unsaved: z.object({ key: z.string(), gzip: z.base64() }).exactOptional(),
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
 * The current attempt at an activity. The server retries without a limit, and the limit is enforced here, because
 * attempts that fail because of the store must not count: a run outlasts a disk that is full for hours. The server keeps
 * the details of the last heartbeat between attempts, also when another worker makes the next one.
 */
export class Attempt {
  private notes: Notes;
  private readonly limit: number;
  /** Work that must not be done twice: none, expected, or begun. */
  private once: 'none' | 'expected' | 'begun' = 'none';
  /** What this attempt waits for at the moment. */
  private waiting: string | undefined;

  private constructor(private readonly context: Context) {
    this.notes = notesSchema.safeParse(context.info.heartbeatDetails).data ?? { storeTrouble: 0 };
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
    const { storeTrouble, waited = 0, failed = 0, unsaved } = this.notes;
    const isEmpty = storeTrouble + waited + failed === 0 && unsaved === undefined;
    const said = this.waiting === undefined ? progress : { ...progress, waitsFor: this.waiting };
    if (isEmpty && said === undefined) this.context.heartbeat();
    else this.context.heartbeat({ ...said, ...(isEmpty ? {} : this.notes) });
  }

  /** Says what this attempt waits for, to whoever asks the server; undefined when it goes on. */
  waitsFor(text: string | undefined): void {
    this.waiting = text;
    this.heartbeat();
  }

  /** Fails if earlier attempts have used up the limit: their workers died, or they took too long. */
  assertWithinLimit(): void {
    if (this.counted() > this.limit) throw interrupted('Worker.Lost', `It was interrupted ${this.limit} times`);
  }

  /** Announces that this attempt will do something that must not be done twice. */
  expectOnce(): void {
    this.once = 'expected';
  }

  /** Call it before work that must not be done twice. Fails if an earlier attempt may have begun it. */
  beginOnce(type: FailureType): void {
    if (this.counted() - (this.notes.notBegun ?? 0) > 1) throw interrupted(type, 'It was interrupted');
    this.once = 'begun';
  }

  /** Returns what an earlier attempt left under this key; undefined if nothing. */
  unsaved(key: string): Uint8Array | undefined {
    const { unsaved } = this.notes;
    return unsaved?.key === key ? gunzipSync(Buffer.from(unsaved.gzip, 'base64')) : undefined;
  }

  /** Leaves the bytes to the next attempt. Call it when they can't be stored, and then fail. */
  leaveUnsaved(key: string, bytes: Uint8Array): void {
    const gzip = gzipSync(bytes).toString('base64');
    if (gzip.length > maxUnsavedBytes) return;
    this.notes = { ...this.notes, unsaved: { key, gzip } };
    // What remains to be done may be repeated.
    this.once = 'none';
    this.heartbeat();
  }

  /** Call it when nothing is left to be stored. */
  saved(): void {
    const { unsaved: _, ...notes } = this.notes;
    this.notes = notes;
  }

  /** Returns the failure to end this attempt with: one that is retried, unless the limit is reached. */
  conclude(error: unknown, failure: unknown): unknown {
    if (error instanceof CancelledFailure) return failure;
    if (isStoreTrouble(error) && this.once !== 'begun') return this.withTrouble(failure);
    const { storeTrouble, waited = 0, notBegun = 0, failed = 0 } = this.notes;
    if (isWait(failure)) {
      this.note({ ...this.notes, waited: waited + 1 });
      return failure;
    }
    const begun = this.once === 'expected' ? { notBegun: notBegun + 1 } : {};
    this.note({ storeTrouble, ...(waited === 0 ? {} : { waited }), failed: failed + 1, ...begun });
    if (this.isLast) return ApplicationFailure.fromError(failure, { nonRetryable: true });
    return failure instanceof ApplicationFailure ? spreadRetry(failure, this.context.info) : failure;
  }

  private withTrouble(failure: unknown): unknown {
    const since = this.notes.since ?? new Date().toISOString();
    this.note({ ...this.notes, storeTrouble: this.notes.storeTrouble + 1, since });
    if (!(failure instanceof ApplicationFailure)) return failure;
    return ApplicationFailure.fromError(failure, { details: [{ ...factsOf(failure), since }] });
  }

  /** Whether no other attempt follows if this one fails, unless because of the store. */
  get isLast(): boolean {
    return this.once === 'begun' || this.counted() >= this.limit;
  }

  /** Number of earlier attempts whose worker died, or that took too long. */
  get died(): number {
    const { storeTrouble, waited = 0, failed = 0 } = this.notes;
    return Math.max(0, this.context.info.attempt - 1 - storeTrouble - waited - failed);
  }

  /** Attempts so far, this one included, without those that ended because of the store or only waited. */
  private counted(): number {
    return this.context.info.attempt - this.notes.storeTrouble - (this.notes.waited ?? 0);
  }

  /** Replaces the notes, except for what is unsaved. The server keeps them although this attempt fails. */
  private note(changed: Omit<Notes, 'unsaved'>): void {
    const { unsaved } = this.notes;
    this.notes = { ...changed, ...(unsaved === undefined ? {} : { unsaved }) };
    this.heartbeat();
  }
}

/** Whether a failure only says that the provider's rate limit leaves no room yet. */
function isWait(failure: unknown): boolean {
  return failure instanceof ApplicationFailure && failure.type === 'Model.AtLimit';
}

function interrupted(type: FailureType, what: string): ApplicationFailure {
  const message = `${what}: the worker died, or the time for one attempt was up`;
  return ApplicationFailure.create({ type, message, nonRetryable: true });
}

function factsOf({ details }: ApplicationFailure): object {
  const [facts] = details ?? [];
  return typeof facts === 'object' && facts !== null ? facts : {};
}
