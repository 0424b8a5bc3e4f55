/** Rows that are mounted: from the first up to, but without, the last. */
export interface Window {
  readonly first: number;
  readonly last: number;
}

/** Rows above and below the visible ones that are mounted too, so that scrolling does not show gaps. */
const extra = 10;
/** Maximum of mounted rows, however tall the screen is. */
const most = 76;

/** The rows of a list with a fixed row height that are mounted. */
export function windowOf(scrollTop: number, height: number, rowHeight: number, count: number): Window {
  const firstVisible = Math.max(0, Math.min(count, Math.floor(scrollTop / rowHeight)));
  const visible = Math.ceil(height / rowHeight) + 1;
  const around = Math.max(0, Math.min(extra, Math.floor((most - visible) / 2)));
  const first = Math.max(0, firstVisible - around);
  return { first, last: Math.min(count, first + Math.min(most, visible + 2 * around)) };
}

/** The scroll position at which a row is visible; unchanged if it is already. */
export function scrollTo(index: number, scrollTop: number, height: number, rowHeight: number): number {
  const top = index * rowHeight;
  if (top < scrollTop) return top;
  return top + rowHeight > scrollTop + height ? top + rowHeight - height : scrollTop;
}
