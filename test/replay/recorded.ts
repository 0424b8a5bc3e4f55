import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporal } from '@temporalio/proto';
import { Worker } from '@temporalio/worker';
import { replaying } from '../support/replay';

/** A stored history with its workflow id, which child ids are derived from. */
export interface Recorded {
  readonly workflowId: string;
  readonly history: { readonly events: readonly RecordedEvent[] };
}

type RecordedEvent = Readonly<Record<string, unknown>>;

const { History } = temporal.api.history.v1;

export const historiesFolder = join(__dirname, 'histories');

export function recordedFiles(): string[] {
  return readdirSync(historiesFolder).filter((file) => file.endsWith('.json'));
}

export function readRecorded(file: string): Recorded {
  return JSON.parse(readFileSync(join(historiesFolder, file), 'utf8')) as Recorded;
}

/** Returns a recorded history as the SDK replays it. */
export function toHistory(history: Recorded['history']): temporal.api.history.v1.History {
  return History.fromObject(history);
}

/** Fails when the current workflow code would not make the recorded decisions. */
export async function replay({ workflowId, history }: Recorded): Promise<void> {
  await Worker.runReplayHistory(replaying, toHistory(history), workflowId);
}

/**
 * Converts with the protocol's own library, because the SDK's conversion requires all its parts to share one copy of
 * that library.
 */
export function toRecorded(workflowId: string, history: temporal.api.history.v1.IHistory): Recorded {
  const plain = History.toObject(History.fromObject(history), { longs: String, bytes: String, enums: String });
  return { workflowId, history: withoutMachine(plain) as Recorded['history'] };
}

/** The last failure names the folder of the store. */
const ofMachine: ReadonlySet<string> = new Set(['stackTrace', 'identity', 'lastFailure']);

/** Removes what describes the machine on which the history was recorded. Replay does not need it. */
function withoutMachine(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMachine);
  if (typeof value === 'string') return value.replace(/\d+@[\w.-]+/g, 'recorder');
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => !ofMachine.has(name));
  return Object.fromEntries(kept.map(([name, inner]) => [name, withoutMachine(inner)]));
}

/** Returns everything readable in a history, with payloads decoded to text. */
export function readableText(recorded: Recorded): string {
  return JSON.stringify(recorded).replace(/"data":"([\w+/=]+)"/g, (_, data: string) =>
    Buffer.from(data, 'base64').toString('utf8'),
  );
}
