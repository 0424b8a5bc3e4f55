import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { AgentRow, ViewIncident } from '../../client/view/run-view';
import { Button } from '../components/button';
import { Icon } from '../components/icon';
import { Time } from '../components/time';
import { formatAge, formatDuration } from '../format';
import { now } from '../state/clock';
import { JsonView } from '../text/json-view';
import { VisibleText } from '../text/visible-text';
import { Closed } from './closed-incident';
import { draftOf, writeDraft } from './drafts';
import { decisionStateOf, incidentKey } from './decision-state';
import { DecisionForm } from './decision-form';
import { incidentMessage, incidentTitle } from './incident-words';
import { RetryAll } from './retry-all';
import { reasonOff } from './why-off';

/** Time for which buttons of a new card do nothing: it may have appeared under the pointer. */
const wakeMs = 500;

export interface IncidentCardProps {
  readonly run: string;
  readonly incident: ViewIncident;
  readonly agent: AgentRow;
  readonly isOpen: boolean;
  /** Whether the address names it. */
  readonly isTarget: boolean;
}

/** What an agent needs a person for, and the buttons to decide it. The text scrolls; the buttons stay in view. */
export function IncidentCard({ run, incident, agent, isOpen, isTarget }: IncidentCardProps): JSX.Element {
  const card = useRef<HTMLElement>(null);
  const isAwake = useSignal(false);
  useEffect(() => {
    const timer = setTimeout(() => (isAwake.value = true), wakeMs);
    return () => clearTimeout(timer);
  }, []);
  useEffect(() => {
    if (isTarget) card.current?.focus();
  }, [isTarget]);
  if (!isOpen) return <Closed run={run} incident={incident} />;
  const key = incidentKey(run, incident);
  const isFolded = draftOf(key).value['folded'] === 'yes';
  const off = reasonOff(agent) ?? (isAwake.value ? null : 'The card has just appeared.');
  return (
    <section
      ref={card}
      class={`incident${isTarget ? ' target' : ''}`}
      aria-label={`Needs you: ${incidentTitle(incident)}`}
      data-incident={incident.id}
      tabIndex={-1}
    >
      <IncidentHeader incident={incident}>
        <Button
          kind="quiet"
          icon={isFolded ? 'right' : 'down'}
          label={isFolded ? 'Open the card' : 'Fold the card'}
          expanded={!isFolded}
          onClick={() => writeDraft(key, 'folded', isFolded ? '' : 'yes')}
        />
      </IncidentHeader>
      {!isFolded && <Content run={run} incident={incident} agent={agent} off={off} />}
    </section>
  );
}

interface ContentProps {
  readonly run: string;
  readonly incident: ViewIncident;
  readonly agent: AgentRow;
  readonly off: string | null;
}

function Content({ run, incident, agent, off }: ContentProps): JSX.Element {
  return (
    <>
      <div class="incident-text" tabIndex={0} role="region" aria-label="What happened">
        <IncidentText incident={incident} />
      </div>
      <Problem run={run} incident={incident} />
      <DecisionForm run={run} incident={incident} agent={agent} off={off} />
      {incident.alike > 0 && incident.kind === 'failure' && <RetryAll run={run} incident={incident} off={off} />}
    </>
  );
}

interface IncidentHeaderProps {
  readonly incident: ViewIncident;
  readonly children: ComponentChildren;
}

function IncidentHeader({ incident, children }: IncidentHeaderProps): JSX.Element {
  const since = Date.parse(incident.since);
  const left = incident.until === undefined ? undefined : Date.parse(incident.until) - now.value;
  return (
    <header class="incident-header">
      <Icon name="needs you" />
      <strong>Needs you</strong>
      <span>{incident.id}</span>
      <span>
        since <Time at={since} /> ({formatAge(now.value - since)})
      </span>
      {left !== undefined && (
        <span>{left > 0 ? `${formatDuration(Math.ceil(left / 60_000) * 60_000)} left` : 'time is up'}</span>
      )}
      {children}
    </header>
  );
}

function IncidentText({ incident }: { readonly incident: ViewIncident }): JSX.Element {
  return (
    <>
      <h3>
        <VisibleText text={incidentTitle(incident)} />
      </h3>
      <p class="incident-message">
        <VisibleText text={incidentMessage(incident)} />
      </p>
      {incident.argumentsText !== undefined && (
        <JsonView json={incident.argumentsText} whole label="all arguments of the call" />
      )}
    </>
  );
}

/** Says why a decision was not recorded. */
function Problem({ run, incident }: { readonly run: string; readonly incident: ViewIncident }): JSX.Element | null {
  const state = decisionStateOf(incidentKey(run, incident)).value;
  if (state.is === 'sent')
    return (
      <p class="incident-note" role="status">
        {state.action} sent at <Time at={state.at} />; the agent has not answered yet …
      </p>
    );
  if (state.is !== 'refused') return null;
  return (
    <p class="incident-note refused" role="alert">
      {state.byAgent ? 'The agent says: ' : 'No answer: '}
      <VisibleText text={state.words} />
      <Button
        kind="quiet"
        onClick={() => (decisionStateOf(incidentKey(run, incident)).value = { is: 'open' })}
        icon="close"
        label="Dismiss"
      />
    </p>
  );
}
