import { signal } from '@preact/signals';

/** Whether the page hears from the server. Times are of this machine's clock. */
export type Connection =
  | { readonly is: 'connecting' }
  | { readonly is: 'connected' }
  | { readonly is: 'lost'; readonly since: number; readonly retryAt: number }
  | { readonly is: 'denied' }
  | { readonly is: 'recorded'; readonly at: number };

export const connection = signal<Connection>({ is: 'connecting' });

/** Why nothing can be decided or changed now; null if it can. Shown beside buttons that are off. */
export function whyOff(readOnly: boolean): string | null {
  switch (connection.value.is) {
    case 'recorded':
      return 'This is a recording: nothing can be changed in it.';
    case 'lost':
    case 'connecting':
      return 'The server does not answer.';
    case 'denied':
      return 'This address has no valid key.';
    case 'connected':
      return readOnly ? 'This page was started with --read-only.' : null;
  }
}
