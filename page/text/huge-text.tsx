import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { memo } from '../components/memo';
import { chunks } from './chunks';
import { shortText } from './limits';
import { VisibleText } from './visible-text';
import { whenIdle } from './when-seen';

/** Pieces that are drawn in one idle period: some 20 ms. */
const piecesAtOnce = 4;

/** A text of any size. It is drawn piece by piece in idle time, and the browser lays out only what is on screen. */
export function HugeText({ text }: { readonly text: string }): JSX.Element {
  const pieces = useSignal<readonly string[]>([]);
  const drawn = useSignal(1);
  useEffect(() => {
    pieces.value = chunks(text);
    drawn.value = 1;
    let isGone = false;
    const next = (): void => {
      if (isGone || drawn.value >= pieces.value.length) return;
      drawn.value += piecesAtOnce;
      whenIdle(next);
    };
    whenIdle(next);
    return () => {
      isGone = true;
    };
  }, [text]);
  return (
    <div class="huge-text" aria-busy={pieces.value.length === 0 || drawn.value < pieces.value.length}>
      {pieces.value.slice(0, drawn.value).map((piece, index) => (
        <Piece key={index} text={piece} />
      ))}
    </div>
  );
}

/** A text that is drawn at once, in pieces if it is long: the browser lays out only those that are on screen. */
export function PlainPieces({ text }: { readonly text: string }): JSX.Element {
  if (text.length <= shortText) return <VisibleText text={text} />;
  return (
    <>
      {chunks(text).map((piece, index) => (
        <Piece key={index} text={piece} />
      ))}
    </>
  );
}

/** Drawn once: the text is looked through for characters that cannot be seen. */
const Piece = memo(function Piece({ text }: { readonly text: string }): JSX.Element {
  return (
    <div class="huge-piece">
      <VisibleText text={text} />
    </div>
  );
});
