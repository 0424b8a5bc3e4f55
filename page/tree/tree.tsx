import { computed, useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { AxisLines, BarPattern } from '../timeline/timeline';
import { place, recalledScroll, rememberScroll } from '../state/place';
import { selectedPath, shownRun } from '../state/session';
import { rowHeight } from '../shell/screen';
import { agentKey, type TreeRow } from './rows';
import { TreeRowView } from './tree-row';
import { activeKey, reveal, rows } from './tree-state';
import { anchorShift } from './anchor';
import { treeKeys } from './tree-keys';
import { scrollTo, windowOf } from './window';
import './tree.css';

/** Index of rows by key. */
const indexes = computed(() => new Map(rows.value.map(({ key }, index) => [key, index])));

/** The agents of the run, with their bars. Only rows near the visible ones are mounted. */
export function Tree(): VNode {
  const scroller = useRef<HTMLDivElement>(null);
  const view = useSignal({ top: 0, height: 600 });
  const hovered = useRef<string | null>(null);
  useMeasured(scroller, view);
  useStillRows(scroller, hovered);
  useSelectionInView(scroller);
  const { first, last } = windowOf(view.value.top, view.value.height, rowHeight.value, rows.value.length);
  const mounted = withActive(rows.value.slice(first, last).map((row, at) => ({ row, index: first + at })));
  const active = activeKey.value;
  return (
    <div
      ref={scroller}
      class="tree-scroll"
      onScroll={({ currentTarget }) => {
        view.value = { top: currentTarget.scrollTop, height: currentTarget.clientHeight };
        rememberScroll('tree', currentTarget.scrollTop);
      }}
      onPointerMove={({ target }) => (hovered.current = keyAt(target))}
      onPointerLeave={() => (hovered.current = null)}
    >
      <BarPattern />
      <div
        id="tree"
        class="tree"
        role="tree"
        aria-label="Agents"
        tabIndex={0}
        {...(active === null ? {} : { 'aria-activedescendant': `row-${active}` })}
        style={{ height: `${rows.value.length * rowHeight.value}px` }}
        onKeyDown={treeKeys}
      >
        <AxisLines />
        {mounted.map(({ row, index }) => (
          <TreeRowView key={row.key} row={row} top={index * rowHeight.value} />
        ))}
      </div>
    </div>
  );
}

/** Key of the row under the pointer. */
function keyAt(target: EventTarget | null): string | null {
  return (target as Element | null)?.closest<HTMLElement>('[data-key]')?.dataset['key'] ?? null;
}

/** The row that the keyboard is on stays mounted: screen readers refer to it. */
function withActive(mounted: readonly { row: TreeRow; index: number }[]): readonly { row: TreeRow; index: number }[] {
  const key = activeKey.value;
  const index = key === null ? undefined : indexes.value.get(key);
  const row = index === undefined ? undefined : rows.value[index];
  if (row === undefined || index === undefined || mounted.some((each) => each.index === index)) return mounted;
  return [...mounted, { row, index }];
}

type ScrollerRef = { readonly current: HTMLDivElement | null };

/** Keeps the size of the visible part, and restores where it was scrolled to. */
function useMeasured(scroller: ScrollerRef, view: { value: { top: number; height: number } }): void {
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const measure = (): void => {
      view.value = { top: element.scrollTop, height: element.clientHeight };
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, []);
}

/** Keeps the row under the pointer, or else the first visible one, where it is when rows are added or removed above. */
function useStillRows(scroller: ScrollerRef, hovered: { readonly current: string | null }): void {
  const before = useRef<ReadonlyMap<string, number>>(new Map());
  const shown = rows.value;
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const first = Math.floor(element.scrollTop / rowHeight.peek());
    const shift = anchorShift(before.current, indexes.peek(), first, [hovered.current, activeKey.peek()]);
    if (shift !== 0) element.scrollTop += shift * rowHeight.peek();
    before.current = indexes.peek();
  }, [shown]);
}

/** Shows the row of the agent that the address names. Going back returns to where the tree was. */
function useSelectionInView(scroller: ScrollerRef): void {
  const path = selectedPath.value;
  const run = shownRun.value;
  const at = place.value;
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null || run === undefined) return;
    const index = reveal(path);
    if (index === -1) return;
    activeKey.value = agentKey(path);
    const top = recalledScroll('tree') ?? scrollTo(index, element.scrollTop, element.clientHeight, rowHeight.peek());
    if (Math.abs(top - element.scrollTop) < 1) return;
    // The height must be there before the position.
    requestAnimationFrame(() => {
      element.scrollTop = top;
    });
  }, [path, run, at]);
}
