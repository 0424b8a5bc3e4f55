import type { JSX } from 'preact';
import type { ViewIncident } from '../../client/view/run-view';
import { Icon } from '../components/icon';
import { Time } from '../components/time';
import { agentHref, followLink } from '../state/place';
import { incidentTitle } from './incident-words';

interface InlineIncidentProps {
  readonly run: string;
  readonly incident: ViewIncident;
}

/** An open incident where it happened: after everything that the agent has said so far. It leads to the card. */
export function InlineIncident({ run, incident }: InlineIncidentProps): JSX.Element {
  return (
    <div class="inline-incident">
      <Icon name="needs you" />
      <Time at={Date.parse(incident.since)} />
      <span>{incidentTitle(incident)}</span>
      <a href={agentHref(run, incident.path, { i: incident.id })} onClick={followLink}>
        decide
      </a>
    </div>
  );
}
