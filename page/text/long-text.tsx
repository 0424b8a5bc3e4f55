import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import type { ConversationText } from '../../client/conversation/conversation';
import { api, blobPath } from '../api';
import { Button } from '../components/button';
import { Copy } from '../components/copy';
import { formatBytes, formatCount } from '../format';
import { toError } from '../state/loadable';
import { HugeText } from './huge-text';
import { VisibleText } from './visible-text';

interface LongTextProps {
  readonly run: string;
  readonly text: ConversationText;
  /** Names what it is, for buttons. */
  readonly label: string;
  /** How to draw a text that is there as a whole. */
  readonly children: (text: string) => ComponentChildren;
  /** Longest text in bytes that is drawn so; longer ones are plain. */
  readonly maxDrawn?: number;
}

/** A text of which only the beginning may be there: then with its size, and a button that loads the rest. */
export function LongText({ run, text, label, children, maxDrawn = 64 * 1024 }: LongTextProps): JSX.Element {
  const whole = useSignal<string | null>(null);
  const error = useSignal<Error | null>(null);
  const isLoading = useSignal(false);
  if (text.whole === undefined) return <>{children(text.text)}</>;
  const { bytes, hash } = text.whole;
  const load = async (): Promise<void> => {
    isLoading.value = true;
    error.value = null;
    try {
      whole.value = await api().getText(blobPath(run, hash));
    } catch (thrown) {
      error.value = toError(thrown);
    }
    isLoading.value = false;
  };
  if (whole.value !== null)
    return whole.value.length <= maxDrawn ? <>{children(whole.value)}</> : <HugeText text={whole.value} />;
  return (
    <div class="long-text">
      <div class="plain-block">
        <VisibleText text={text.text} />
      </div>
      <p class="cut-note">
        <span title={`${formatCount(bytes)} bytes`}>
          The first {formatBytes(new TextEncoder().encode(text.text).length)} of {formatBytes(bytes)} are shown.
        </span>{' '}
        <Button kind="quiet" onClick={() => void load()} off={isLoading.value ? 'It is being loaded.' : null}>
          show all
        </Button>
        <Copy text={() => api().getText(blobPath(run, hash))} label={`Copy all of ${label}`} />
        {error.value !== null && <span class="error-words"> {error.value.message}</span>}
      </p>
    </div>
  );
}
