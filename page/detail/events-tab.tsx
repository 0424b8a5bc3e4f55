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
import { hello } from '../state/session';
import { JsonView } from '../text/json-view';
import { VisibleText } from '../text/visible-text';
import { LoadProblem, Loaded, useLoaded, useLoadedAgain } from './loaded';

interface EventsTabProps {
  readonly run: string;
  readonly path: string;
}

type Event = EventsView['events'][number];

const pageSize = 200;

/** Events as `baton tail` prints them, oldest first, with their JSON when opened. */
export function EventsTab({ run, path }: EventsTabProps): JSX.Element {
  const request = agentPath(run, 'events', { agent: path, limit: pageSize });
  const { data, again } = useLoaded<EventsView>(request);
  useLoadedAgain(again);
  // Another process of the server may have read the events of several agents in another order.
  const epoch = hello.value?.epoch ?? '';
  return (
    <Loaded data={data} again={again}>
      {(newest) => <Events key={`${request} ${epoch}`} run={run} path={path} newest={newest} />}
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
  const { before, events } = joined(older.value, newest);
  // What the newest page no longer has stays.
  useEffect(() => void (older.value = { before, events }), [newest]);
  const load = async (): Promise<void> => {
    error.value = null;
    try {
      const page = await api().get<EventsView>(agentPath(run, 'events', { agent: path, limit: pageSize, before }));
      older.value = joined(page, { before, events });
    } catch (thrown) {
      error.value = toError(thrown);
    }
  };
  const first = positionOf(before);
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
        <Fold key={first + index} class="event" summary={<EventLine event={event} path={path} />}>
          {() => <JsonView json={JSON.stringify(event.json, null, 2)} label="the event" />}
        </Fold>
      ))}
    </div>
  );
}

/** Short name of an agent, or the name of the host of a session. */
function nameOf(path: string): string {
  const id = path.slice(path.lastIndexOf('/') + 1);
  return id.startsWith('session-') ? id : shortId(id);
}

/** Number of events before a page. */
function positionOf(before: string | null): number {
  return Number(before ?? 0);
}

/** Two pages as one. If something between them is missing, only the newer one is shown. */
function joined(older: EventsView | null, newer: EventsView): EventsView {
  if (older === null) return newer;
  const ahead = positionOf(newer.before) - positionOf(older.before);
  if (ahead < 0 || ahead > older.events.length) return newer;
  return { before: older.before, events: [...older.events.slice(0, ahead), ...newer.events] };
}

function EventLine({ event, path }: { readonly event: Event; readonly path: string }): JSX.Element {
  return (
    <>
      <Time at={Date.parse(event.at)} />
      {event.path !== path && <span class="mono muted">{nameOf(event.path)}</span>}
      <span class="event-kind">{event.kind}</span>
      <span class="event-words">
        <VisibleText text={event.words} />
      </span>
    </>
  );
}
