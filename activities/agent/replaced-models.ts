import { ApplicationFailure } from '@temporalio/common';
import { z } from 'zod';
import type { RunTurnInput } from '../../domain/agent';
import { canonicalJson, jsonDigest } from '../../domain/kernel';
import type { RunStore } from '../../domain/store';
import { parseStored } from '../../store/blobs';

const recordSchema = z.object({ type: z.string(), message: z.string() });

/** Identifies a call of one model by what it sends, without the change that made another model take over. */
function keyOf({ identity, head, told = {} }: RunTurnInput, model: string): string {
  const { execution, call, try: attempt } = identity;
  const { changes: _changes, ...sent } = told;
  return `replaced/${execution}/${call}/${attempt}/${jsonDigest({ head, told: sent, model })}`;
}

/**
 * Records which models failed in a call that another one has answered. A turn that a reset repeats then goes to the model
 * whose answer is in the journal, even if a model before it can be used again: the turn is paid for once.
 */
export async function recordReplaced(store: RunStore, input: RunTurnInput): Promise<void> {
  for (const { model, ...failure } of input.insteadOf ?? [])
    await store.putIfAbsent(keyOf(input, model), Buffer.from(canonicalJson(failure)));
}

/** Fails as the model did, if another one has answered this call in its place. */
export async function requireNotReplaced(store: RunStore, input: RunTurnInput, model: string): Promise<void> {
  const key = keyOf(input, model);
  const found = await store.find(key);
  if (found === undefined) return;
  const { type, message } = parseStored(store, key, found, recordSchema, 'failure of a replaced model');
  throw ApplicationFailure.create({ type, message, nonRetryable: true });
}
