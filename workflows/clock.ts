/** The time of the current workflow task: the same in every replay, since it is taken from history. */
export function nowAsRecorded(): string {
  // eslint-disable-next-line no-restricted-globals -- the sandbox replaces Date by one that reads history
  return new Date().toISOString();
}

/** The same, as a number to compare. */
export function millisecondsAsRecorded(): number {
  // eslint-disable-next-line no-restricted-globals -- the sandbox replaces Date by one that reads history
  return Date.now();
}
