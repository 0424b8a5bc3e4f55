import type { Json } from '../json-value';

/** Something a tool wants recorded in the session; what it does there is up to the slice that knows the type. */
export interface SessionEvent {
  readonly type: string;
  readonly value: Json;
}
