import { z } from 'zod';
import { runWorkflowId } from '../../domain/kernel';
import { BatonError } from '../client-errors';

/** The position up to which a workflow's events have been read. */
export interface ReadPosition {
  readonly workflowId: string;
  /** Temporal's run id of the execution. */
  readonly executionId: string;
  /** Id of the history event that was read last; 0 before the first. */
  readonly eventId: number;
  /** Number of run events already read that this history event is translated into. */
  readonly count: number;
}

/**
 * Contains only workflows that may have more events. A workflow that an event mentions but the cursor omits was read to
 * its end. So the size of a cursor depends on what runs concurrently, not on how much has happened.
 */
const cursorSchema = z.tuple([
  z.literal(1),
  z.string().min(1),
  z.array(z.tuple([z.string(), z.uuid(), z.int().min(0), z.int().min(0)])),
]);

/** Encodes the positions. Workflow ids are shortened by the id of the run, which all of them begin with. */
export function encodeCursor(runId: string, positions: readonly ReadPosition[]): string {
  const root = runWorkflowId(runId);
  const rows = positions.map(({ workflowId, executionId, eventId, count }) => [
    workflowId.slice(root.length),
    executionId,
    eventId,
    count,
  ]);
  return Buffer.from(JSON.stringify([1, runId, rows])).toString('base64url');
}

/** Decodes a cursor. Throws a `BatonError` if it is invalid or belongs to another run. */
export function decodeCursor(runId: string, cursor: string): readonly ReadPosition[] {
  const parsed = cursorSchema.safeParse(fromJson(Buffer.from(cursor, 'base64url').toString('utf8')));
  if (!parsed.success) throw invalidCursor('Invalid cursor.');
  const [, ofRun, rows] = parsed.data;
  if (ofRun !== runId) throw invalidCursor(`This cursor belongs to run "${ofRun}".`);
  return rows.map(([path, executionId, eventId, count]) => ({
    workflowId: `${runWorkflowId(runId)}${path}`,
    executionId,
    eventId,
    count,
  }));
}

/** Creates the error for a cursor that can't be used. */
export function invalidCursor(message: string): BatonError {
  return new BatonError('Client.InvalidCursor', message, 'Pass a cursor that `baton tail` printed for this run.');
}

function fromJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
