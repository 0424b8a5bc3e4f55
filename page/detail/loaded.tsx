import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { api, RequestFailed } from '../api';
import { Button } from '../components/button';
import { Copy } from '../components/copy';
import { Placeholder } from '../components/placeholder';
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
        if (!end.signal.aborted) data.value = { is: 'failed', error: toError(error) };
      });
    return () => end.abort();
  }, [path, request.value]);
  return { data, again: () => request.value++ };
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
