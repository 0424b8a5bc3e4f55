import { z } from 'zod';
import { checkValue } from '../../domain/kernel';
import type { RunStore, Store } from '../../domain/store';
import { Attempt } from '../attempt';
import type { ToolReturn } from './define-tool';

/** The two parts of a tool call. Only the second one may be repeated. */
interface OnceOnly<Result> {
  run(): Promise<ToolReturn>;
  /** Stores what the tool returned. */
  finish(returned: ToolReturn): Promise<Result>;
}

/**
 * Runs a tool that must not run twice. It runs only if its result can be stored, and an attempt after one that was
 * interrupted fails. If the result could not be stored after all, the next attempt stores it without running the tool.
 */
export async function runOnce<Result>(
  store: Store,
  runStore: RunStore,
  callId: string,
  work: OnceOnly<Result>,
): Promise<Result> {
  const attempt = Attempt.current();
  const left = attempt.unsaved(callId);
  const returned = left === undefined ? await begin(store, attempt, work) : parse(left);
  try {
    const result = await work.finish(returned);
    // Here and not at the end of the activity: if it fails, the next attempt must not run the tool again.
    await runStore.flush();
    return result;
  } catch (error) {
    attempt.leaveUnsaved(callId, Buffer.from(JSON.stringify(returned)));
    throw error;
  }
}

async function begin(store: Store, attempt: Attempt, { run }: OnceOnly<unknown>): Promise<ToolReturn> {
  await store.checkWritable();
  attempt.beginOnce('Tool.Interrupted');
  return run();
}

const returnedSchema = z.custom<ToolReturn>((value) => checkValue(z.object({ message: z.string() }), value).success);

function parse(bytes: Uint8Array): ToolReturn {
  return returnedSchema.parse(JSON.parse(Buffer.from(bytes).toString('utf8')));
}
