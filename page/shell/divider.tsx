import type { VNode } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

const name = 'baton.divider';
const [least, most] = [25, 75];

/** Lets the reader choose the share of the left pane, by dragging or with the arrow keys. It is kept. */
export function Divider(): VNode {
  const element = useRef<HTMLDivElement>(null);
  const set = (share: number): void => {
    const bounded = Math.max(least, Math.min(most, Math.round(share * 10) / 10));
    element.current?.parentElement?.style.setProperty('--left', `${bounded}%`);
    element.current?.setAttribute('aria-valuenow', String(Math.round(bounded)));
    localStorage.setItem(name, String(bounded));
  };
  const current = (): number => Number(localStorage.getItem(name) ?? 58);
  useLayoutEffect(() => set(current()), []);
  const drag = (event: PointerEvent): void => {
    const parent = element.current?.parentElement;
    if (event.buttons !== 1 || parent === null || parent === undefined) return;
    const { left, width } = parent.getBoundingClientRect();
    set(((event.clientX - left) / width) * 100);
  };
  return (
    <div
      ref={element}
      class="divider"
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label="Width of the tree"
      aria-valuemin={least}
      aria-valuemax={most}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={drag}
      onKeyDown={(event) => {
        if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
        event.preventDefault();
        event.stopPropagation();
        set(current() + (event.key === 'ArrowLeft' ? -2 : 2));
      }}
    />
  );
}
