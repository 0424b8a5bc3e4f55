import type { Json } from '../kernel/json-value';

/** A session event that a tool returns. The slices that handle its type decide what it changes. */
export interface SessionEvent {
  readonly type: string;
  readonly value: Json;
}
