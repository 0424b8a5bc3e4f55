import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ViewIncident } from '../../client/view/run-view';
import type { RunState } from '../state/run-state';

/** An incident that the page shows: open, or closed since it was shown. */
export interface SeenIncident {
  readonly incident: ViewIncident;
  readonly isOpen: boolean;
}

const seen = signal<readonly ViewIncident[]>([]);
const dismissed = signal<ReadonlySet<string>>(new Set());
const keyOf = ({ path, id }: ViewIncident): string => `${path}:${id}`;

/**
 * Incidents of an agent. One that is answered while somebody looks at it stays, so that the answer can be read, until it
 * is dismissed or the agent is left.
 */
export function useIncidents(run: RunState, path: string): readonly SeenIncident[] {
  const open = run.incidents.value.filter((incident) => incident.path === path);
  useEffect(() => {
    seen.value = [];
    dismissed.value = new Set();
  }, [run, path]);
  useEffect(() => {
    const known = new Set(seen.peek().map(keyOf));
    const added = open.filter((incident) => !known.has(keyOf(incident)));
    if (added.length > 0) seen.value = [...seen.peek(), ...added];
  }, [run, path, open.map(keyOf).join()]);
  const isOpen = new Set(open.map(keyOf));
  const closed = seen.value.filter(
    (incident) => incident.path === path && !isOpen.has(keyOf(incident)) && !dismissed.value.has(keyOf(incident)),
  );
  return [
    ...closed.map((incident) => ({ incident, isOpen: false })),
    ...open.map((incident) => ({ incident, isOpen: true })),
  ];
}

/** Takes the card of a closed incident away. */
export function dismiss(incident: ViewIncident): void {
  dismissed.value = new Set([...dismissed.peek(), keyOf(incident)]);
}
