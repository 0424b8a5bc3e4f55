import type { ComponentChildren, VNode } from 'preact';
import { RequestFailed } from '../api';
import { Button } from '../components/button';
import { Copy } from '../components/copy';
import { VisibleText } from '../text/visible-text';

/** Why something is not shown, and what to do. It is shown only in the part of the page that it concerns. */
export function Problem({ error, onRetry }: { error: Error; onRetry?: () => void }): VNode {
  const failed = error instanceof RequestFailed ? error : undefined;
  return (
    <div class="problem" role="alert">
      <p>
        <b>{failed?.answer.type ?? 'This can’t be shown.'}</b> {error.message}
      </p>
      {failed?.answer.remedy === undefined || failed.answer.remedy === null ? null : <p>{failed.answer.remedy}</p>}
      <p class="actions">
        {onRetry === undefined ? null : <Button onClick={onRetry}>Try again</Button>}
        <Copy text={failed?.details ?? error.stack ?? error.message} label="Copy details">
          Copy details
        </Copy>
      </p>
    </div>
  );
}

/** A sentence about the whole page or run, above what it concerns. */
export function Notice({ kind, children }: { kind: 'warning' | 'note'; children: ComponentChildren }): VNode {
  return <div class={`notice ${kind}`}>{children}</div>;
}

/** Says that the address names something that is not there. */
export function Missing({ what }: { readonly what: string }): VNode {
  return (
    <Notice kind="warning">
      <span>
        There is no <VisibleText text={what} /> here.
      </span>
    </Notice>
  );
}

/** Grey rows. They appear after a moment only, so that a quick answer does not flicker. */
export function Skeleton({ rows = 8 }: { rows?: number }): VNode {
  return (
    <div class="skeleton" aria-hidden="true">
      {Array.from({ length: rows }, (_, index) => (
        <span key={index} style={{ width: `${85 - ((index * 17) % 45)}%` }} />
      ))}
    </div>
  );
}
