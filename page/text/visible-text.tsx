import type { JSX } from 'preact';
import { visibleParts } from './invisible';

/** Text that somebody else wrote. Characters that cannot be seen are shown as marks. */
export function VisibleText({ text }: { readonly text: string }): JSX.Element {
  const parts = visibleParts(text);
  return (
    <>
      {parts.map((part) =>
        typeof part === 'string' ? (
          part
        ) : (
          <span class="invisible-mark" title={`${part.code}, ${part.name}`}>
            {part.code}
          </span>
        ),
      )}
    </>
  );
}
