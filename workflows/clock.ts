/** The time of the current workflow task: the same in every replay, since it is taken from history. */
export function nowAsRecorded(): string {
  // eslint-disable-next-line no-restricted-globals -- the sandbox replaces Date by one that reads history
  return new Date().toISOString();
}

/** From now, as recorded, to a time in ISO 8601; negative when that is over. */
export function millisecondsUntil(time: string): number {
  // eslint-disable-next-line no-restricted-globals -- the sandbox replaces Date by one that reads history
  return Date.parse(time) - Date.now();
}

/** So many seconds from now, as recorded. */
export function secondsFromNow(seconds: number): string {
  // eslint-disable-next-line no-restricted-globals -- the sandbox replaces Date by one that reads history
  return new Date(Date.now() + seconds * 1_000).toISOString();
}

/** The same, as a number to compare. */
export function millisecondsAsRecorded(): number {
  // eslint-disable-next-line no-restricted-globals -- the sandbox replaces Date by one that reads history
  return Date.now();
}
