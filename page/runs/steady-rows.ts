import { signal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import type { RunRow } from '../../client/view/run-view';

/** Height of what lies over the rows: filters and headings. */
const coveredPx = 88;

/** How many runs came in above what the reader has scrolled to. Those who are at the top see them at once. */
export const unseenRuns = signal(0);

const rowsIn = (scroller: HTMLElement): HTMLElement[] => [...scroller.querySelectorAll<HTMLElement>('[data-run]')];
const topOf = (row: HTMLElement): number => row.getBoundingClientRect().top;

/**
 * Keeps the rows that a reader has scrolled to where they are while others come in above them. Call it before the rows are
 * drawn.
 */
export function useSteadyRows({ current: scroller }: RefObject<HTMLElement | null>, rows: readonly RunRow[]): void {
  const drawn = scroller === null || scroller.scrollTop < 1 ? [] : rowsIn(scroller);
  const covered = scroller === null ? 0 : topOf(scroller) + coveredPx;
  const index = drawn.findIndex((row) => topOf(row) >= covered);
  const first = drawn[index];
  const before = first === undefined ? 0 : topOf(first);
  useLayoutEffect(() => {
    if (scroller === null || first?.isConnected !== true) return;
    scroller.scrollTop += topOf(first) - before;
    unseenRuns.value += Math.max(0, rowsIn(scroller).indexOf(first) - index);
  }, [rows]);
}
