import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { api, RequestFailed } from '../api';
import { Button } from '../components/button';
import { Copy } from '../components/copy';
import { Placeholder } from '../components/placeholder';
import { onFrame } from '../state/session';
import { type Loadable, loading, toError } from '../state/loadable';

/** Requests data when its path changes. `again` requests it once more and keeps what is shown until then. */
export function useLoaded<T>(path: string): { readonly data: Signal<Loadable<T>>; readonly again: () => void } {
  const data = useSignal<Loadable<T>>(loading);
  const request = useSignal(0);
  const shown = useSignal('');
  useEffect(() => {
    const end = new AbortController();
    if (shown.peek() !== path) data.value = loading;
    shown.value = path;
    api()
      .get<T>(path, end.signal)
      .then((value) => (data.value = { is: 'ready', value }))
      .catch((error: unknown) => {
        if (end.signal.aborted) return;
        // What is on the screen is still readable; the banner says that the server does not answer.
        const isLost = error instanceof RequestFailed && error.status === 0;
        if (!isLost || data.peek().is !== 'ready') data.value = { is: 'failed', error: toError(error) };
      });
    return () => end.abort();
  }, [path, request.value]);
  return { data, again: () => request.value++ };
}

/** Time after a change until it is loaded, and after the last one until what was recorded late is loaded too. */
const changedMs = 1_000;
const settledMs = 5_000;

/** Calls `again` while agents of the run work: a run's root shows what all of them do. */
export function useLoadedAgain(again: () => void): void {
  useEffect(() => {
    let soon: ReturnType<typeof setTimeout> | undefined;
    let settled: ReturnType<typeof setTimeout> | undefined;
    const stop = onFrame(({ kind }) => {
      if (kind === 'ping' || kind === 'entries' || kind === 'speaking') return;
      clearTimeout(settled);
      settled = setTimeout(again, settledMs);
      soon ??= setTimeout(() => {
        soon = undefined;
        again();
      }, changedMs);
    });
    return () => {
      stop();
      clearTimeout(soon);
      clearTimeout(settled);
    };
  }, []);
}

interface LoadedProps<T> {
  readonly data: Signal<Loadable<T>>;
  readonly again: () => void;
  readonly children: (value: T) => ComponentChildren;
}

/** Shows data when it is there, and otherwise says why not. */
export function Loaded<T>({ data, again, children }: LoadedProps<T>): JSX.Element {
  const now = data.value;
  if (now.is === 'ready') return <>{children(now.value)}</>;
  if (now.is === 'failed') return <LoadProblem error={now.error} retry={again} />;
  return <Placeholder />;
}

/** A request that failed, in the pane that it concerns. */
export function LoadProblem({ error, retry }: { readonly error: Error; readonly retry: () => void }): JSX.Element {
  const remedy = error instanceof RequestFailed ? error.answer.remedy : null;
  const details = error instanceof RequestFailed ? error.details : (error.stack ?? error.message);
  return (
    <div class="load-problem" role="alert">
      <p>{error.message}</p>
      {remedy !== null && <p class="muted">{remedy}</p>}
      <Button onClick={retry}>Try again</Button>
      <Copy text={details} label="Copy details" />
    </div>
  );
}
