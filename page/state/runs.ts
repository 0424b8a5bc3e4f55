import { signal } from '@preact/signals';
import type { RunRow } from '../../client/view/run-view';
import { api } from '../api';
import type { RunList } from '../protocol';
import type { RunsPlace } from './address';
import { toError } from './loadable';

/** The list of runs, as far as it was loaded. */
export interface Runs {
  /** Filter and text that it was loaded for. */
  readonly of: string;
  readonly rows: readonly RunRow[];
  readonly counts: RunList['counts'] | null;
  readonly next: string | null;
  readonly isLoading: boolean;
  readonly error: Error | null;
}

export const runs = signal<Runs>({ of: '', rows: [], counts: null, next: null, isLoading: true, error: null });

const pageSize = 50;

function request({ status, q }: RunsPlace, before: string | null): string {
  const params = new URLSearchParams({ limit: String(pageSize) });
  if (status !== null) params.set('state', status);
  if (q !== '') params.set('q', q);
  if (before !== null) params.set('before', before);
  return `runs?${params.toString()}`;
}

/** Loads the newest runs that a place shows. Those that are shown stay until the new ones are there. */
export async function loadRuns(place: RunsPlace): Promise<void> {
  const of = request(place, null);
  runs.value = { ...runs.peek(), of, isLoading: true };
  try {
    const { runs: rows, counts, next } = await api().get<RunList>(of);
    if (runs.peek().of === of) runs.value = { of, rows, counts, next, isLoading: false, error: null };
  } catch (error) {
    if (runs.peek().of === of) runs.value = { ...runs.peek(), isLoading: false, error: toError(error) };
  }
}

/** Loads older runs. */
export async function loadOlderRuns(place: RunsPlace): Promise<void> {
  const before = runs.peek();
  if (before.next === null || before.isLoading) return;
  runs.value = { ...before, isLoading: true };
  try {
    const { runs: older, next } = await api().get<RunList>(request(place, before.next));
    if (runs.peek().of !== before.of) return;
    const known = new Set(runs.peek().rows.map(({ runId }) => runId));
    const rows = [...runs.peek().rows, ...older.filter(({ runId }) => !known.has(runId))];
    runs.value = { ...runs.peek(), rows, next, isLoading: false };
  } catch (error) {
    if (runs.peek().of === before.of) runs.value = { ...runs.peek(), isLoading: false, error: toError(error) };
  }
}

/** Replaces the row of a run in its place. A run that is not in the list is not added: rows must not move. */
export function applyRunRow(row: RunRow): void {
  const { rows } = runs.peek();
  if (!rows.some(({ runId }) => runId === row.runId)) return;
  runs.value = { ...runs.peek(), rows: rows.map((each) => (each.runId === row.runId ? row : each)) };
}
