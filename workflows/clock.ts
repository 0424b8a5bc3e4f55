/** Workflow time in ISO 8601. It is read from history, so it is the same in every replay. */
export function workflowNow(): string {
  // eslint-disable-next-line no-restricted-globals -- the sandbox replaces Date with one that reads history
  return new Date().toISOString();
}

/** Milliseconds from workflow time to `time`, which is in ISO 8601; negative when it has passed. */
export function millisecondsUntil(time: string): number {
  // eslint-disable-next-line no-restricted-globals -- the sandbox replaces Date with one that reads history
  return Date.parse(time) - Date.now();
}

/** Workflow time plus `seconds`, in ISO 8601. */
export function secondsFromNow(seconds: number): string {
  // eslint-disable-next-line no-restricted-globals -- the sandbox replaces Date with one that reads history
  return new Date(Date.now() + seconds * 1_000).toISOString();
}

/** Workflow time in milliseconds, for comparisons. */
export function workflowNowMs(): number {
  // eslint-disable-next-line no-restricted-globals -- the sandbox replaces Date with one that reads history
  return Date.now();
}

/** Returns the later of two times in ISO 8601. Whatever their precision, they are compared as times. */
export function laterOf(time: string, other: string | undefined): string {
  return other !== undefined && millisecondsUntil(other) > millisecondsUntil(time) ? other : time;
}

/** Returns the earlier of two times in ISO 8601; undefined when there is none. They are compared as times. */
export function earlierOf(time: string | undefined, other: string | undefined): string | undefined {
  if (time === undefined || other === undefined) return time ?? other;
  return millisecondsUntil(other) < millisecondsUntil(time) ? other : time;
}

/** Converts milliseconds since 1970 to ISO 8601. */
export function toIso(milliseconds: number): string {
  // eslint-disable-next-line no-restricted-globals -- this reads no clock
  return new Date(milliseconds).toISOString();
}
