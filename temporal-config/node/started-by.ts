/** Environment variable that `baton dev` and `baton worker` set in the worker processes that they start. */
export const startedByBaton = 'BATON_STARTED_BY';
