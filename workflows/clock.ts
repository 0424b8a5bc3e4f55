/** The time of the current workflow task: the same in every replay, since it is taken from history. */
export function nowAsRecorded(): string {
  // eslint-disable-next-line no-restricted-globals -- the sandbox replaces Date by one that reads history
  return new Date().toISOString();
}
