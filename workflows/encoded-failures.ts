import { EncodedFailureConverter } from './failure-converter';

/** Converts failures of activities, in workers that encrypt. The worker loads it by its path. */
export const failureConverter = new EncodedFailureConverter();
