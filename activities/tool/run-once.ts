import { Context } from '@temporalio/activity';
import { z } from 'zod';
import { checkValue } from '../../domain/kernel';
import type { RunStore, Store } from '../../domain/store';
import type { Beginner, CallEnd, CallJournal } from '../../store/call-journal';
import { Attempt } from '../attempt';
import { saveOrLeave } from '../save-or-leave';
import type { ToolReturn } from './define-tool';

/** The two parts of a tool call. Only the second one may be repeated. */
interface OnceOnly {
  run(): Promise<ToolReturn>;
  /** Stores and journals what the tool returned. */
  finish(returned: ToolReturn): Promise<CallEnd>;
}

interface OnceStores {
  readonly store: Store;
  readonly runStore: RunStore;
  readonly journal: CallJournal;
}

/**
 * Runs a tool that must not run twice. It runs only if its result can be stored. An attempt after one that was
 * interrupted does not run it, nor does the activity that a reset schedules for the same call. If the result could not be
 * stored after all, the next attempt stores it without running the tool.
 */
export async function runOnce(
  { store, runStore, journal }: OnceStores,
  callId: string,
  work: OnceOnly,
): Promise<CallEnd> {
  const attempt = Attempt.current();
  const left = attempt.unsaved(callId);
  if (left === undefined && !(await begin(store, journal, attempt))) return journal.keepInterrupted();
  const returned = left === undefined ? await work.run() : parse(left);
  const bytes = (): Uint8Array => Buffer.from(JSON.stringify(returned));
  return saveOrLeave(callId, bytes, async () => {
    const end = await work.finish(returned);
    // Here and not at the end of the activity: if it fails, the next attempt must not run the tool again.
    await runStore.flush();
    return end;
  });
}

/** Begins the call. False if it may have been begun before, by an earlier attempt or before a reset. */
async function begin(store: Store, journal: CallJournal, attempt: Attempt): Promise<boolean> {
  await store.checkWritable();
  const self = currentActivity();
  const first = await journal.begin(self);
  const isFirst = first.execution === self.execution && first.activity === self.activity;
  return isFirst && attempt.beginOnce();
}

/** Attempts at one activity are told apart by `Attempt`: it knows which of them came as far as the tool. */
function currentActivity(): Beginner {
  const { workflowExecution, activityId } = Context.current().info;
  return { execution: workflowExecution?.runId ?? '', activity: activityId };
}

const returnedSchema = z.custom<ToolReturn>((value) => checkValue(z.object({ message: z.string() }), value).success);

function parse(bytes: Uint8Array): ToolReturn {
  return returnedSchema.parse(JSON.parse(Buffer.from(bytes).toString('utf8')));
}
