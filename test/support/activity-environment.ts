import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { activityBoundary } from '../../activities/boundary';

/** The environment of an activity as on a worker, but without logging a stack for every expected failure. */
export function quietEnvironment(): MockActivityEnvironment {
  return new MockActivityEnvironment(undefined, {
    logger: new DefaultLogger('ERROR'),
    interceptors: [() => ({ inbound: activityBoundary() })],
  });
}
