import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { activityBoundary } from '../../activities/boundary';

/** An activity's surroundings as on a worker, without a stack on the terminal for every expected failure. */
export function quietEnvironment(): MockActivityEnvironment {
  return new MockActivityEnvironment(undefined, {
    logger: new DefaultLogger('ERROR'),
    interceptors: [() => ({ inbound: activityBoundary })],
  });
}
