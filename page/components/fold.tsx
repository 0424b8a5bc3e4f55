import { useSignal } from '@preact/signals';
import type { ComponentChildren, VNode } from 'preact';

interface FoldProps {
  readonly summary: ComponentChildren;
  /** Called when it is opened: what is folded is not mounted. */
  readonly children: () => ComponentChildren;
  readonly isOpen?: boolean;
  readonly class?: string;
}

/** A part that is mounted only when it is opened. */
export function Fold({ summary, children, isOpen = false, class: className = '' }: FoldProps): VNode {
  const open = useSignal(isOpen);
  return (
    <details
      class={`fold ${className}`}
      open={open.value}
      onToggle={(event) => {
        open.value = event.currentTarget.open;
      }}
    >
      <summary>{summary}</summary>
      {open.value ? children() : null}
    </details>
  );
}
