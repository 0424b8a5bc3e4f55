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
  readonly gaps: RunList['gaps'];
  readonly isLoading: boolean;
  readonly error: Error | null;
}

export const runs = signal<Runs>({
  of: '',
  rows: [],
  counts: null,
  next: null,
  gaps: [],
  isLoading: true,
  error: null,
});

const pageSize = 50;
/** Most rows that are kept up to date. */
const maxFollowed = 200;

function paramsOf({ status, q }: RunsPlace, limit: number): URLSearchParams {
  const params = new URLSearchParams({ limit: String(limit) });
  if (status !== null) params.set('state', status);
  if (q !== '') params.set('q', q);
  return params;
}

function request(to: RunsPlace, before: string | null): string {
  const params = paramsOf(to, pageSize);
  if (before !== null) params.set('before', before);
  return `runs?${params.toString()}`;
}

/** Parameters of the stream that keeps the list of a place up to date, as far as it was loaded. */
export function streamParams(to: RunsPlace): string {
  const pages = Math.max(1, Math.ceil(runs.value.rows.length / pageSize));
  return paramsOf(to, Math.min(pages * pageSize, maxFollowed)).toString();
}

/** Rows that the stream sent while a list was on its way, which may be older. */
const meanwhile = new Map<string, RunRow>();

/** Loads the newest runs that a place shows. Those that are shown stay until the new ones are there. */
export async function loadRuns(place: RunsPlace): Promise<void> {
  const of = request(place, null);
  const isSame = runs.peek().of === of;
  meanwhile.clear();
  runs.value = { ...runs.peek(), of, isLoading: true };
  try {
    const list = await api().get<RunList>(of);
    if (runs.peek().of !== of) return;
    const older = isSame ? olderThan(list.runs, runs.peek()) : undefined;
    const { rows, next } = older ?? { rows: list.runs, next: list.next };
    runs.value = { of, rows, counts: list.counts, next, gaps: list.gaps, isLoading: false, error: null };
    for (const row of meanwhile.values()) applyRunRow(row);
  } catch (error) {
    if (runs.peek().of === of) runs.value = { ...runs.peek(), isLoading: false, error: toError(error) };
  }
}

/** Adds the older runs that were loaded before; undefined if there may be others between, so that all begins anew. */
function olderThan(newest: readonly RunRow[], { rows, next }: Runs): Pick<Runs, 'rows' | 'next'> | undefined {
  const known = new Set(newest.map(({ runId }) => runId));
  const lastKnown = rows.reduce((last, { runId }, index) => (known.has(runId) ? index : last), -1);
  return lastKnown === -1 ? undefined : { rows: [...newest, ...rows.slice(lastKnown + 1)], next };
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

/** Replaces the row of a run in its place, or adds it to its place by start, newest first. */
export function applyRunRow(row: RunRow): void {
  const { rows, next, isLoading } = runs.peek();
  if (isLoading) meanwhile.set(row.runId, row);
  if (rows.some(({ runId }) => runId === row.runId)) {
    runs.value = { ...runs.peek(), rows: rows.map((each) => (each.runId === row.runId ? row : each)) };
    return;
  }
  const newer = rows.filter(({ startedAt }) => startedAt >= row.startedAt);
  // It is among those that load on scrolling.
  if (newer.length === rows.length && next !== null) return;
  runs.value = { ...runs.peek(), rows: [...newer, row, ...rows.filter((each) => !newer.includes(each))] };
}

/** Takes over how many runs there are, and what is missing. */
export function applyCounts({ counts, gaps }: Pick<RunList, 'counts' | 'gaps'>): void {
  runs.value = { ...runs.peek(), counts, gaps };
}
