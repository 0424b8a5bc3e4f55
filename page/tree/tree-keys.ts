import { batch } from '@preact/signals';
import { rowHeight } from '../shell/screen';
import { selectAgent, choose } from './tree-row';
import type { TreeRow } from './rows';
import { activeKey, rows, toggle } from './tree-state';
import { scrollTo } from './window';

function activeIndex(): number {
  return rows.peek().findIndex(({ key }) => key === activeKey.peek());
}

/** Moves the keyboard to a row. An agent is selected at once; the entry in the history is replaced. */
function moveTo(index: number): void {
  const row = rows.peek()[Math.max(0, Math.min(rows.peek().length - 1, index))];
  if (row === undefined) return;
  batch(() => {
    activeKey.value = row.key;
    if (row.kind === 'agent') selectAgent(row, 'replace');
  });
  const scroller = document.querySelector('.tree-scroll');
  if (scroller === null) return;
  const at = rows.peek().indexOf(row);
  scroller.scrollTop = scrollTo(at, scroller.scrollTop, scroller.clientHeight, rowHeight.peek());
}

/** Moves by a number of rows. */
export function moveBy(count: number): void {
  const at = activeIndex();
  moveTo(at === -1 ? 0 : at + count);
}

function moveToParent(row: TreeRow): void {
  const at = activeIndex();
  const above = rows
    .peek()
    .slice(0, at)
    .map(({ level }, index) => ({ level, index }))
    .filter(({ level }) => level < row.level)
    .at(-1);
  if (above !== undefined) moveTo(above.index);
}

/** Opens a row, or moves to its first child. */
export function openActive(): void {
  const row = rows.peek()[activeIndex()];
  if (row === undefined || row.isOpen === null) return;
  if (row.isOpen) moveBy(1);
  else toggle(row.key, true);
}

/** Closes a row, or moves to its parent. */
export function closeActive(): void {
  const row = rows.peek()[activeIndex()];
  if (row === undefined) return;
  if (row.isOpen === true) toggle(row.key, false);
  else moveToParent(row);
}

/** Number of rows on a screen. */
function pageSize(): number {
  const height = document.querySelector('.tree-scroll')?.clientHeight ?? 0;
  return Math.max(1, Math.floor(height / rowHeight.peek()) - 1);
}

const actions: Readonly<Record<string, () => void>> = {
  ArrowDown: () => moveBy(1),
  ArrowUp: () => moveBy(-1),
  PageDown: () => moveBy(pageSize()),
  PageUp: () => moveBy(-pageSize()),
  Home: () => moveTo(0),
  End: () => moveTo(rows.peek().length - 1),
  ArrowRight: openActive,
  ArrowLeft: closeActive,
  ' ': () => {
    const row = rows.peek()[activeIndex()];
    if (row !== undefined) choose(row);
  },
};

/** Keys of the tree while it has the focus. */
export function treeKeys(event: KeyboardEvent): void {
  const action = actions[event.key];
  if (action === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  event.stopPropagation();
  action();
}
