import { patched } from '@temporalio/workflow';
import type { Slice } from '../../domain/session';

/** Slices that every execution has had from its start, so that nothing has to be recorded about them. */
const original = new Set(['artifacts', 'files', 'notes', 'plan', 'toolCalls', 'toolUse']);

/**
 * Whether the current execution uses a slice. A slice that was added while an execution was running is not in use for
 * the events before: when they are replayed, they must have the effect that is recorded. The first event for the slice
 * that is not a replay records that it is in use from there on. A worker without the slice then can't replay the
 * execution and leaves it to one that has it.
 */
export function isSliceInUse({ name }: Slice): boolean {
  return original.has(name) || patched(`slice ${name}`);
}
