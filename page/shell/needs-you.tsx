import type { VNode } from 'preact';
import { Button } from '../components/button';
import { Icon } from '../components/icon';
import { formatAge, plural, shortId } from '../format';
import { formatAddress } from '../state/address';
import { now } from '../state/clock';
import { connection } from '../state/connection';
import { followLink, place } from '../state/place';
import { shownRun } from '../state/session';
import { goToNeeded, neededCount, neededPlaces, type NeededPlace } from './attention';

/** Says who needs a decision. It never scrolls away, on any page. */
export function NeedsYou(): VNode | null {
  const [first, ...others] = neededPlaces();
  if (first === undefined || connection.value.is === 'recorded') return null;
  const oldest = Math.min(first.since, ...others.map(({ since }) => since));
  const inRun = place.value.page === 'run' && shownRun.value?.runId === first.runId;
  return (
    <section class="needs-you" aria-label="Needs you">
      <Icon name="needs you" />
      {inRun ? (
        <InRun first={first} more={neededCount() - 1} />
      ) : (
        <span class="cut">
          <b>{plural(neededCount(), 'agent needs', 'agents need')} you</b> · oldest {formatAge(now.value - oldest)}
        </span>
      )}
      <span class="space" />
      <Button class="filled" onClick={() => goToNeeded(1)}>
        <span>
          <span class="wide-only">Show next</span>
          <span class="narrow-only">Next</span>
        </span>
        <kbd aria-hidden="true">n</kbd>
      </Button>
    </section>
  );
}

function InRun({ first, more }: { first: NeededPlace; more: number }): VNode {
  const run = shownRun.value;
  const incident = run?.incidents.value.find(({ path, id }) => path === first.path && id === first.id);
  const to = formatAddress({ page: 'run', run: first.runId, path: first.path, params: { i: first.id } });
  const name = first.path === '' ? 'root' : shortId(first.path.slice(first.path.lastIndexOf('/') + 1));
  return (
    <span class="cut">
      <a href={to} onClick={followLink}>
        {first.id} in {name}
      </a>
      : {incident?.type ?? 'needs you'}, {formatAge(now.value - first.since)}
      {more > 0 ? <span class="more"> · {more} more</span> : null}
    </span>
  );
}
