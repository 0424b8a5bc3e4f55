import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { agentPath, api } from '../api';
import { Button } from '../components/button';
import { cutText, formatCount, plural, shortId } from '../format';
import type { SearchFrame } from '../protocol';
import { Problem } from '../shell/problem';
import { toError } from '../state/loadable';
import { agentHref, followLink, goWithin } from '../state/place';
import { shownRun } from '../state/session';
import { titleOf } from '../tree/agent-name';

type Hit = Extract<SearchFrame, { hit: unknown }>['hit'];

interface Found {
  readonly hits: readonly Hit[];
  readonly searched: number;
  readonly of: number;
  readonly is: 'searching' | 'done' | 'stopped';
  readonly error: Error | null;
}

const pageSize = 50;
/** Hits that are kept. Whoever gets more needs another word. */
const mostHits = 5_000;

/** Hits of a text in all agents of the run, as they are found. */
export function SearchPane({ text }: { text: string }): VNode {
  const found = useSignal<Found>({ hits: [], searched: 0, of: 0, is: 'searching', error: null });
  const shown = useSignal(pageSize);
  const abort = useRef(new AbortController());
  useEffect(() => {
    void search(text, found, abort.current.signal);
    return () => abort.current.abort();
  }, []);
  const { hits, error } = found.value;
  return (
    <div class="search-pane">
      <Head text={text} count={hits.length} />
      <Progress
        found={found.value}
        onStop={() => {
          abort.current.abort();
          found.value = { ...found.value, is: 'stopped' };
        }}
      />
      {error === null ? null : <Problem error={error} />}
      <Hits hits={hits.slice(0, shown.value)} />
      {hits.length > shown.value ? (
        <Button
          onClick={() => {
            shown.value += pageSize;
          }}
        >
          Show {formatCount(Math.min(pageSize, hits.length - shown.value))} more of {formatCount(hits.length)}
        </Button>
      ) : null}
    </div>
  );
}

function Head({ text, count }: { text: string; count: number }): VNode {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <div class="side-head">
      <h2 ref={heading} tabIndex={-1}>
        {plural(count, 'hit')} for “{cutText(text, 60)}”
      </h2>
      <Button
        kind="quiet"
        icon="close"
        label="Close the search"
        onClick={() => goWithin({ params: { find: undefined } })}
      />
    </div>
  );
}

function Progress({ found: { searched, of, is }, onStop }: { found: Found; onStop: () => void }): VNode {
  return (
    <p class="muted progress">
      {of === 0 ? 'Searching …' : `${formatCount(searched)} of ${formatCount(of)} agents searched`}
      {is === 'stopped' ? ', stopped' : ''}
      {is === 'searching' ? (
        <Button kind="quiet" onClick={onStop}>
          Stop
        </Button>
      ) : null}
    </p>
  );
}

/** Hits arrive in bursts, so they are collected and shown together. */
async function search(text: string, found: { value: Found }, signal: AbortSignal): Promise<void> {
  const run = shownRun.peek();
  if (run === undefined) return;
  let waiting: Hit[] = [];
  let progress: Pick<Found, 'searched' | 'of'> = { searched: 0, of: 0 };
  const show = (is: Found['is'], error: Error | null = null): void => {
    const hits = [...found.value.hits, ...waiting].slice(0, mostHits);
    waiting = [];
    found.value = { hits, ...progress, is, error };
  };
  const timer = setInterval(() => show('searching'), 200);
  try {
    const onFrame = (frame: SearchFrame): void => {
      if ('hit' in frame) waiting.push(frame.hit);
      else progress = { searched: frame.searched, of: frame.of };
    };
    await api().search(agentPath(run.runId, 'search', { q: text }), onFrame, signal);
    show('done');
  } catch (error) {
    if (!signal.aborted) show('stopped', toError(error));
  } finally {
    clearInterval(timer);
  }
}

function Hits({ hits }: { hits: readonly Hit[] }): VNode | null {
  const run = shownRun.value;
  if (run === undefined) return null;
  return (
    <ol class="hits">
      {hits.map(({ path, turn, line }, index) => (
        <li key={index}>
          <a href={agentHref(run.runId, path, turn === null ? {} : { t: String(turn) })} onClick={followLink}>
            <span class="hit-place">
              {titleOf(run.row(path) ?? { role: null, headline: shortId(path) })}
              {turn === null ? '' : ` › turn ${turn}`}
            </span>
            <span class="hit-line">{cutText(line, 300)}</span>
          </a>
        </li>
      ))}
    </ol>
  );
}
