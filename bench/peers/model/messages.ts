/** A message to the model: how to behave from now on, or to continue after a pause. */
export type ToModel =
  | {
      readonly kind: 'behave';
      /** Turns in which it waits before it answers, until it is told to proceed. */
      readonly pauses: readonly number[];
      /** Turn whose first request it never answers. */
      readonly hangsIn?: number;
    }
  | { readonly kind: 'proceed' };

/** What the model tells. Times are in milliseconds of its own clock. */
export type FromModel =
  | { readonly kind: 'ready'; readonly messages: string; readonly chat: string; readonly name: string }
  | { readonly kind: 'arrived' | 'answered'; readonly at: number }
  | { readonly kind: 'hangs' | 'pauses'; readonly turn: number };
