import { z } from 'zod';
import { runWorkflowId } from '../../domain/ids';
import { CliError, exitCodes } from '../cli';

/** How far a workflow's events have been read. */
export interface Position {
  readonly workflowId: string;
  /** Run id of the execution. */
  readonly runId: string;
  /** The history event that was read last; 0 before the first. */
  readonly eventId: number;
  /** How many of the events that it stands for. */
  readonly count: number;
}

/**
 * Only workflows that may have more to tell: one that an event has told of, and that is not here, was read to its end.
 * So a cursor's size goes with what runs at the same time, not with how much has happened.
 */
const cursorSchema = z.tuple([
  z.literal(1),
  z.string().min(1),
  z.array(z.tuple([z.string(), z.uuid(), z.int().min(0), z.int().min(0)])),
]);

/** Workflow ids are written without the run's own, which they all begin with. */
export function encodeCursor(runId: string, positions: readonly Position[]): string {
  const root = runWorkflowId(runId);
  const rows = positions.map(({ workflowId, runId: execution, eventId, count }) => [
    workflowId.slice(root.length),
    execution,
    eventId,
    count,
  ]);
  return Buffer.from(JSON.stringify([1, runId, rows])).toString('base64url');
}

export function decodeCursor(runId: string, cursor: string): readonly Position[] {
  const parsed = cursorSchema.safeParse(fromJson(Buffer.from(cursor, 'base64url').toString('utf8')));
  if (!parsed.success) throw misused('This is no cursor.');
  const [, ofRun, rows] = parsed.data;
  if (ofRun !== runId) throw misused(`This cursor belongs to run "${ofRun}".`);
  return rows.map(([path, execution, eventId, count]) => ({
    workflowId: `${runWorkflowId(runId)}${path}`,
    runId: execution,
    eventId,
    count,
  }));
}

export function misused(message: string): CliError {
  return new CliError(exitCodes.misused, message, 'Use one that `baton tail <run>` has printed for the same run.');
}

function fromJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
