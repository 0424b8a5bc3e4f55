/** Distance from the end in pixels within which a reader is at the end. */
const endZone = 48;

/** Whether a conversation stays at its end while it grows, and what the reader has missed since it does not. */
export interface Following {
  readonly isOn: boolean;
  /** Turns that came since. */
  readonly missed: number;
}

export const following: Following = { isOn: true, missed: 0 };
export const reading: Following = { isOn: false, missed: 0 };

/** Where the view is, in pixels. */
export interface Scroll {
  readonly top: number;
  readonly height: number;
  readonly viewport: number;
}

/** The reader has scrolled: the new position decides. Nothing else but `End` and the pill starts following. */
export function afterReaderScroll(state: Following, { top, height, viewport }: Scroll): Following {
  if (height - viewport - top <= endZone) return following;
  return state.isOn ? reading : state;
}

/** The reader has selected or opened something, so what is read must not move away. */
export function afterReaderStops(state: Following): Following {
  return state.isOn ? reading : state;
}

/** Content has changed: it may have become smaller, which must not start following again. */
export function afterContent(state: Following, newTurns: number): Following {
  return state.isOn || newTurns === 0 ? state : { isOn: false, missed: state.missed + newTurns };
}

/** Keys that scroll, with which readers move away or come back. */
const scrollKeys = new Set(['ArrowUp', 'ArrowDown', 'PageUp', 'PageDown', 'Home', 'End', ' ']);

export function isScrollKey(key: string): boolean {
  return scrollKeys.has(key);
}
