/** Task queue of runs and their activities, unless a deployment sets another one. */
export const defaultTaskQueue = 'baton';
