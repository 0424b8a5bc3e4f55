// The rows of the tree that is shown, and what can be done with them. Rows are computed when agents are added, when a row
// is opened or closed, and at most four times a second while agents change.
import { computed, effect, signal } from '@preact/signals';
import { place } from '../state/place';
import type { RunState } from '../state/run-state';
import { shownRun } from '../state/session';
import { parseFilter } from './filter';
import { agentKey, sameRows, type TreeRow } from './rows';
import { TreeLayout } from './tree-layout';

/** Shortest time between two computations that are caused by changes of agents. */
const changesMs = 250;

export const rows = signal<readonly TreeRow[]>([]);
/** Key of the row that the keyboard is on. */
export const activeKey = signal<string | null>(null);

/** The filter of the address. */
export const filterText = computed(() => (place.value.page === 'run' ? (place.value.params.q ?? '') : ''));

const layouts = new WeakMap<RunState, TreeLayout>();

function layoutOf(run: RunState): TreeLayout {
  const layout = layouts.get(run) ?? new TreeLayout(run);
  layouts.set(run, layout);
  return layout;
}

function compute(): void {
  const run = shownRun.peek();
  if (run === undefined) {
    rows.value = [];
    return;
  }
  const filter = parseFilter(filterText.peek());
  const computedRows = layoutOf(run).rows(filter);
  if (!sameRows(rows.peek(), computedRows)) rows.value = computedRows;
}

/** Starts to keep the rows up to date. */
export function startTree(): void {
  effect(() => {
    const run = shownRun.value;
    if (run === undefined) compute();
    // Read, so that this runs again when one of them changes.
    if (filterText.value.length >= 0 && run !== undefined && run.structure.value >= 0) compute();
  });
  let timer: ReturnType<typeof setTimeout> | undefined;
  effect(() => {
    if (shownRun.value === undefined || shownRun.value.changes.value === 0) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      compute();
    }, changesMs);
  });
}

/** Opens or closes a row; without `isOpen`, the other way round. */
export function toggle(key: string, isOpen?: boolean): void {
  const [run, row] = [shownRun.peek(), rows.peek().find((each) => each.key === key)];
  if (run === undefined || row === undefined || row.isOpen === null) return;
  layoutOf(run).setOpen(key, isOpen ?? !row.isOpen);
  compute();
}

/** Opens or closes all rows. */
export function toggleAll(isOpen: boolean): void {
  const run = shownRun.peek();
  if (run === undefined) return;
  layoutOf(run).setAll(isOpen);
  compute();
}

/** Folds agents anew by what they are now. The selected agent stays shown. */
export function tidy(selected: string): void {
  const run = shownRun.peek();
  if (run === undefined) return;
  const layout = layoutOf(run);
  layout.tidy();
  layout.reveal(selected);
  compute();
}

/** Makes sure that an agent has a row, and returns the row's index; -1 if there is none, as under a filter. */
export function reveal(path: string): number {
  const key = agentKey(path);
  const at = rows.peek().findIndex((row) => row.key === key);
  const run = shownRun.peek();
  if (at !== -1 || run === undefined || filterText.peek() !== '') return at;
  layoutOf(run).reveal(path);
  compute();
  return rows.peek().findIndex((row) => row.key === key);
}
