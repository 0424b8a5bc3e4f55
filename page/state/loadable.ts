/** Data that is requested: it is not there yet, could not be read, or is there. */
export type Loadable<T> =
  | { readonly is: 'loading' }
  | { readonly is: 'failed'; readonly error: Error }
  | { readonly is: 'ready'; readonly value: T };

export const loading = { is: 'loading' } as const;

/** Turns what was thrown into an error. */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
