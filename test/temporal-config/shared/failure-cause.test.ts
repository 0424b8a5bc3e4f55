import {
  ActivityFailure,
  ApplicationFailure,
  CancelledFailure,
  ChildWorkflowFailure,
  RetryState,
  TerminatedFailure,
  TimeoutFailure,
  TimeoutType,
} from '@temporalio/common';
import { failureCause } from '../../../temporal-config/failure-cause';

const isKnown = (type: string): boolean => type.includes('.');

function failed(type: string | undefined, message: string, cause?: Error, details: unknown[] = []): ApplicationFailure {
  return ApplicationFailure.create({ message, details, ...(type && { type }), ...(cause && { cause }) });
}

function inActivity(cause: Error): ActivityFailure {
  return new ActivityFailure('Activity task failed', 'runTurn', '1', RetryState.TIMEOUT, undefined, cause);
}

function inChild(workflowId: string, cause: Error): ChildWorkflowFailure {
  return new ChildWorkflowFailure('default', { workflowId }, 'delegationWorkflow', RetryState.TIMEOUT, cause);
}

describe('the type and message of a cause', () => {
  test('are those of the failure inside activity and child failures', () => {
    const error = inChild('run/a/b', failed('Model.Refused', 'no', inActivity(failed('Model.Refused', 'no'))));
    expect(failureCause(error, isKnown)).toMatchObject({
      type: 'Model.Refused',
      message: 'no',
      workflowIds: ['run/a/b'],
    });
  });

  test('are those of the innermost known type, and not of the exception that it explains', () => {
    const error = failed('Agent.Failed', 'passed on', failed('Store.Full', 'no space', failed('Error', 'ENOSPC')));
    expect(failureCause(error, isKnown)).toMatchObject({ type: 'Store.Full', message: 'no space' });
  });

  test('prefer a known type to exceptions around it', () => {
    const error = failed('Error', 'No operator answered.', inActivity(failed('Model.Refused', 'no')));
    expect(failureCause(error, isKnown)).toMatchObject({ type: 'Model.Refused', message: 'no' });
  });

  test('are those of the innermost exception if no type is known', () => {
    const error = inActivity(failed('TypeError', 'fetch failed', failed('Error', 'connect ECONNREFUSED')));
    expect(failureCause(error, isKnown)).toMatchObject({ type: 'Error', message: 'connect ECONNREFUSED' });
  });

  test('come with the last message that is not empty', () => {
    expect(failureCause(inActivity(failed(undefined, '')), isKnown)).toMatchObject({
      type: undefined,
      message: 'Activity task failed',
    });
  });

  test.each([[undefined], [null], ['a string'], [{ message: 'not an error' }]])('are empty for %p', (thrown) => {
    expect(failureCause(thrown, isKnown)).toEqual({
      type: undefined,
      message: '',
      stopped: undefined,
      workflowIds: [],
      details: [],
    });
  });

  test('are found although an error is its own cause', () => {
    const error = new Error('round');
    error.cause = error;
    expect(failureCause(error, isKnown).message).toBe('round');
  });
});

describe('what was stopped', () => {
  test.each([
    ['cancelled', new CancelledFailure('CancelledFailure'), 'it was cancelled'],
    ['terminated', new TerminatedFailure('TerminatedFailure'), 'it was terminated'],
    ['timedOut', new TimeoutFailure('activity timeout', undefined, TimeoutType.HEARTBEAT), 'activity timeout'],
  ] as const)('is %s', (stopped, error, message) => {
    expect(failureCause(inChild('run/a/b', error), isKnown)).toMatchObject({ type: undefined, stopped, message });
  });

  test('is told beside the failure of the last attempt', () => {
    const timeout = Object.assign(new TimeoutFailure('timeout', undefined, TimeoutType.SCHEDULE_TO_CLOSE), {
      cause: failed('Model.Overloaded', 'busy'),
    });
    expect(failureCause(inActivity(timeout), isKnown)).toMatchObject({
      type: 'Model.Overloaded',
      message: 'busy',
      stopped: 'timedOut',
    });
  });
});

test('details are listed from the outside in', () => {
  const error = failed('A.B', 'x', inChild('run/a/b', failed('A.B', 'x', undefined, [{ turns: 1 }, 'ignored'])), [
    'own',
  ]);
  expect(failureCause(error, isKnown).details).toEqual(['own', { turns: 1 }]);
});
