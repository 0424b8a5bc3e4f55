import type { ComponentChildren, VNode } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

interface DialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly label: string;
  readonly class: string;
  readonly children: ComponentChildren;
}

/** A dialog that somebody asked for. It closes with Esc and by a click beside it; its content is mounted only while open. */
export function Dialog({ isOpen, onClose, label, class: className, children }: DialogProps): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  // Before the page is painted: keys are ignored as long as it is open.
  useLayoutEffect(() => {
    const element = dialog.current;
    if (element === null) return;
    if (isOpen && !element.open) element.showModal();
    else if (!isOpen && element.open) element.close();
  }, [isOpen]);
  return (
    <dialog
      ref={dialog}
      class={`dialog ${className}`}
      aria-label={label}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === event.currentTarget) onClose();
      }}
    >
      {isOpen ? <div class="dialog-body">{children}</div> : null}
    </dialog>
  );
}
