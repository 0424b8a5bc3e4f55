import { ActivityFailure, ApplicationFailure, CancelledFailure, RetryState } from '@temporalio/common';
import { afterCancellation, agentFailure, isCancelled } from '../../../workflows/failures';

describe('what a delegation of a cancelled agent throws', () => {
  test.each<[string, Error]>([
    ['a wrong type', new TypeError('x is not a function')],
    ['a wrong name', new ReferenceError('x is not defined')],
    ['any other error', new Error('this can not be')],
  ])('closes the agent as a defect: %s', (_, defect) => {
    const thrown = afterCancellation(defect);
    expect(thrown).toBe(defect);
    expect(isCancelled(thrown)).toBe(false);
    expect(agentFailure(thrown, undefined)).toMatchObject({
      type: 'Agent.Failed',
      message: defect.message,
      nonRetryable: true,
    });
  });

  const failure = ApplicationFailure.nonRetryable('the session is closed', 'Session.Closed');
  test.each<[string, Error]>([
    ['a failure', failure],
    ['a failed activity', new ActivityFailure('failed', 'act', '1', RetryState.TIMEOUT, 'worker', failure)],
    ['its own cancellation', new CancelledFailure('Cancelled')],
  ])('counts as cancelled: %s', (_, thrown) => {
    expect(isCancelled(afterCancellation(thrown))).toBe(true);
  });
});
