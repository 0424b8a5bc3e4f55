import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { ViewIncident } from '../../client/view/run-view';
import { Button } from '../components/button';
import { plural } from '../format';
import { shownRun } from '../state/session';
import { decide } from './decision-state';

interface RetryAllProps {
  readonly run: string;
  readonly incident: ViewIncident;
  readonly off: string | null;
}

/** Retries all agents that wait because of the same failure, one after another, after a confirmation. */
export function RetryAll({ run, incident, off }: RetryAllProps): JSX.Element | null {
  const step = useSignal<'offered' | 'asked' | 'going'>('offered');
  const done = useSignal({ of: 0, retried: 0, refused: 0 });
  const alike = (shownRun.value?.incidents.value ?? []).filter(
    ({ type, kind }) => type === incident.type && kind === 'failure',
  );
  const retry = async (): Promise<void> => {
    step.value = 'going';
    done.value = { of: alike.length, retried: 0, refused: 0 };
    for (const each of alike) {
      const isRecorded = await decide(run, each, { action: 'retry', incident: each.id });
      const { retried, refused } = done.peek();
      done.value = { of: alike.length, retried: retried + Number(isRecorded), refused: refused + Number(!isRecorded) };
    }
    step.value = 'offered';
  };
  if (step.value === 'offered' && alike.length < 2) return null;
  if (step.value === 'going') return <Progress {...done.value} />;
  return (
    <p class="retry-all">
      {plural(alike.length - 1, 'other agent')} failed the same way.{' '}
      {step.value === 'offered' ? (
        <Button off={off} onClick={() => (step.value = 'asked')}>
          Retry all {alike.length}…
        </Button>
      ) : (
        <>
          <Button kind="primary" off={off} onClick={() => void retry()}>
            Retry {plural(alike.length, 'agent')}
          </Button>
          <Button onClick={() => (step.value = 'offered')}>Keep waiting</Button>
        </>
      )}
    </p>
  );
}

interface ProgressProps {
  readonly of: number;
  readonly retried: number;
  readonly refused: number;
}

function Progress({ of, retried, refused }: ProgressProps): JSX.Element {
  return (
    <p class="retry-all" role="status">
      {retried} of {of} retried{refused > 0 && `, ${refused} refused`}
    </p>
  );
}
