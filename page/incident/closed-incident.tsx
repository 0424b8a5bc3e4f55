import type { JSX } from 'preact';
import type { ConversationMark } from '../../client/conversation/conversation';
import type { ViewIncident } from '../../client/view/run-view';
import type { DecisionRecord } from '../../domain/operator';
import { Button } from '../components/button';
import { Icon } from '../components/icon';
import { Time } from '../components/time';
import { conversationOf } from '../conversation/conversation-state';
import { VisibleText } from '../text/visible-text';
import { decisionStateOf, incidentKey } from './decision-state';
import { incidentTitle } from './incident-words';
import { dismiss } from './seen-incidents';

/** An incident that was answered while it was shown: by this page, or elsewhere. */
export function Closed({ run, incident }: { readonly run: string; readonly incident: ViewIncident }): JSX.Element {
  const state = decisionStateOf(incidentKey(run, incident)).value;
  return (
    <section
      class="incident closed"
      data-incident={incident.id}
      aria-label={`${incident.id} is answered`}
      role="status"
    >
      <Icon name="done" />
      <span>
        {state.is === 'recorded' ? (
          <Recorded record={state.record} />
        ) : (
          <Answered run={run} incident={incident} isElsewhere={state.is === 'open'} />
        )}
      </span>
      <Button kind="quiet" icon="close" label="Dismiss" onClick={() => dismiss(incident)} />
    </section>
  );
}

function Recorded({ record }: { readonly record: DecisionRecord }): JSX.Element {
  return (
    <>
      <strong>{record.incident}</strong> {record.action}, recorded at <Time at={Date.parse(record.at)} /> by {record.by}
      {record.note !== '' && (
        <>
          : <VisibleText text={record.note} />
        </>
      )}
    </>
  );
}

interface AnsweredProps {
  readonly run: string;
  readonly incident: ViewIncident;
  /** Whether this page has sent no decision. One whose answer did not arrive may have been recorded all the same. */
  readonly isElsewhere: boolean;
}

/** The conversation shows what was decided. */
function Answered({ run, incident, isElsewhere }: AnsweredProps): JSX.Element {
  const { entries } = conversationOf(run, incident.path).list.value;
  const since = Date.parse(incident.since);
  const mark = entries
    .filter((entry): entry is ConversationMark => entry.kind === 'decision')
    .filter(({ text, at }) => text.includes(incident.id) && (at === null || Date.parse(at) >= since))
    .at(-1);
  return (
    <>
      <strong>{incident.id}</strong> was answered{isElsewhere && ' elsewhere'}: {incidentTitle(incident)}.{' '}
      {mark !== undefined && <VisibleText text={mark.text} />}
    </>
  );
}
