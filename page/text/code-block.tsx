import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { colouredParts, type ColouredPart } from './code-colours';
import { Copy } from '../components/copy';
import { VisibleText } from './visible-text';
import { whenSeen } from './when-seen';

/** Code of a text, with a button that copies it. */
export function CodeBlock({
  text,
  language,
}: {
  readonly text: string;
  readonly language: string | undefined;
}): JSX.Element {
  return (
    <div class="code-block">
      <div class="code-tools">
        {language !== undefined && <span class="code-language">{language}</span>}
        <Copy text={text} label="Copy code" />
      </div>
      <pre tabIndex={0}>
        <Code text={text} language={language} />
      </pre>
    </div>
  );
}

/** Code without a frame. It gets its colours when it is on screen; they do not change its size. */
export function Code({
  text,
  language,
}: {
  readonly text: string;
  readonly language: string | undefined;
}): JSX.Element {
  const element = useRef<HTMLElement>(null);
  const parts = useSignal<readonly ColouredPart[] | undefined>(undefined);
  useEffect(() => {
    parts.value = undefined;
    if (element.current === null || language === undefined) return undefined;
    return whenSeen(element.current, () => {
      parts.value = colouredParts(text, language);
    });
  }, [text, language]);
  return (
    <code ref={element}>
      {parts.value === undefined ? (
        <VisibleText text={text} />
      ) : (
        parts.value.map((part) =>
          part.colour === null ? (
            <VisibleText text={part.text} />
          ) : (
            <span class={`code-${part.colour}`}>
              <VisibleText text={part.text} />
            </span>
          ),
        )
      )}
    </code>
  );
}
