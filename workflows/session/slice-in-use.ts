import { patched } from '@temporalio/workflow';
import { originalSlices, type Slice } from '../../domain/session';

/**
 * Whether the current execution uses a slice. A slice that was added while an execution was running is not in use for
 * the events before: when they are replayed, they must have the effect that is recorded. The first event for the slice
 * that is not a replay records that it is in use from there on. A worker without the slice then can't replay the
 * execution and leaves it to one that has it.
 */
export function isSliceInUse({ name }: Slice): boolean {
  return originalSlices.has(name) || patched(`slice ${name}`);
}
