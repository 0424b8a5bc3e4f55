import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { Icon } from '../components/icon';

interface HashCheckProps {
  readonly hash: string;
  readonly text: string;
  /** What the server found. */
  readonly isIntact: boolean;
}

/** Compares the text that is shown with the hash under which it is stored. */
export function HashCheck({ hash, text, isIntact }: HashCheckProps): JSX.Element {
  const found = useSignal<string | null>(null);
  useEffect(() => {
    void sha256(text).then((value) => (found.value = value));
  }, [text]);
  const isSame = found.value === null ? isIntact : found.value === hash;
  return (
    <span class={isSame && isIntact ? 'hash good' : 'hash bad'} title={hash}>
      <code>sha256 {hash.slice(0, 12)}…</code> <Icon name={isSame && isIntact ? 'done' : 'warning'} />
      {isSame && isIntact ? 'this text has this hash' : 'this text does not have this hash'}
    </span>
  );
}

/** Null where the browser has no hashes: in pages that are not from this machine. */
async function sha256(text: string): Promise<string | null> {
  // Missing in pages that do not count as secure.
  const subtle = (globalThis.crypto as { readonly subtle?: SubtleCrypto }).subtle;
  if (subtle === undefined) return null;
  const bytes = new Uint8Array(await subtle.digest('SHA-256', new TextEncoder().encode(text)));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
