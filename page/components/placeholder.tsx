import type { JSX } from 'preact';

/** Grey lines in place of a text that is being loaded. They appear after 150 ms. */
export function Placeholder(): JSX.Element {
  return (
    <div class="placeholder" aria-hidden="true">
      <span />
      <span />
      <span />
    </div>
  );
}
