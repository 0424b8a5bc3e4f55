import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { agentPath, api } from '../api';
import { Button } from '../components/button';
import { Fold } from '../components/fold';
import { Time } from '../components/time';
import { shortId } from '../format';
import type { EventsView } from '../protocol';
import { toError } from '../state/loadable';
import { JsonView } from '../text/json-view';
import { VisibleText } from '../text/visible-text';
import { LoadProblem, Loaded, useLoaded } from './loaded';

interface EventsTabProps {
  readonly run: string;
  readonly path: string;
  readonly version: number;
}

const pageSize = 200;

/** Events as `baton tail` prints them, oldest first, with their JSON when opened. */
export function EventsTab({ run, path, version }: EventsTabProps): JSX.Element {
  const request = agentPath(run, 'events', { agent: path, limit: pageSize });
  const { data, again } = useLoaded<EventsView>(request);
  useEffect(() => again(), [version]);
  return (
    <Loaded data={data} again={again}>
      {(newest) => <Events key={request} run={run} path={path} newest={newest} />}
    </Loaded>
  );
}

interface EventsProps {
  readonly run: string;
  readonly path: string;
  readonly newest: EventsView;
}

function Events({ run, path, newest }: EventsProps): JSX.Element {
  const older = useSignal<EventsView | null>(null);
  const error = useSignal<Error | null>(null);
  const before = older.value === null ? newest.before : older.value.before;
  const load = async (): Promise<void> => {
    error.value = null;
    try {
      const page = await api().get<EventsView>(agentPath(run, 'events', { agent: path, limit: pageSize, before }));
      older.value = { events: [...page.events, ...(older.peek()?.events ?? [])], before: page.before };
    } catch (thrown) {
      error.value = toError(thrown);
    }
  };
  const events = [...(older.value?.events ?? []), ...newest.events];
  if (events.length === 0) return <p class="empty-words">Nothing has happened yet.</p>;
  return (
    <div class="events">
      {before !== null && (
        <Button kind="quiet" onClick={() => void load()}>
          older events
        </Button>
      )}
      {error.value !== null && <LoadProblem error={error.value} retry={() => void load()} />}
      {events.map((event, index) => (
        <Fold
          key={`${event.at} ${events.length - index}`}
          class="event"
          summary={<EventLine event={event} path={path} />}
        >
          {() => <JsonView json={JSON.stringify(event.json, null, 2)} label="the event" />}
        </Fold>
      ))}
    </div>
  );
}

function EventLine({
  event,
  path,
}: {
  readonly event: EventsView['events'][number];
  readonly path: string;
}): JSX.Element {
  return (
    <>
      <Time at={Date.parse(event.at)} />
      {event.path !== path && (
        <span class="mono muted">{shortId(event.path.slice(event.path.lastIndexOf('/') + 1))}</span>
      )}
      <span class="event-kind">{event.kind}</span>
      <span class="event-words">
        <VisibleText text={event.words} />
      </span>
    </>
  );
}
