import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { Copy } from '../components/copy';
import { firstLines, type Field, type FieldValue, jsonFields, openLevels, openLines } from './json-fields';
import { VisibleText } from './visible-text';

interface JsonViewProps {
  /** As it was sent. */
  readonly json: string;
  /** Nothing is folded, as where somebody decides about it. */
  readonly whole?: boolean;
  /** Names what it is, for the buttons. */
  readonly label: string;
}

/** JSON as fields. A button shows it as it was sent; text that is not JSON is shown as it is. */
export function JsonView({ json, whole = false, label }: JsonViewProps): JSX.Element {
  const isRaw = useSignal(false);
  const value = isRaw.value ? undefined : jsonFields(json);
  return (
    <div class="json-view">
      <div class="json-tools" role="group" aria-label={`${label}: how to show`}>
        <button type="button" class="button quiet" aria-pressed={!isRaw.value} onClick={() => (isRaw.value = false)}>
          fields
        </button>
        <button type="button" class="button quiet" aria-pressed={isRaw.value} onClick={() => (isRaw.value = true)}>
          JSON
        </button>
        <Copy text={json} label={`Copy ${label}`} />
      </div>
      {value === undefined ? (
        <pre class="plain-block" tabIndex={0}>
          <VisibleText text={json} />
        </pre>
      ) : (
        <Value value={value} level={1} whole={whole} />
      )}
    </div>
  );
}

interface ValueProps {
  readonly value: FieldValue;
  readonly level: number;
  readonly whole: boolean;
}

function Value({ value, level, whole }: ValueProps): JSX.Element {
  if (value.kind === 'literal') return <code class="json-literal">{value.text}</code>;
  if (value.kind === 'text') return <Lines text={value.text} whole={whole} />;
  if (value.fields.length === 0) return <span class="muted">{value.summary}</span>;
  if (!whole && level > openLevels) return <FoldedGroup value={value} level={level} />;
  return <Fields fields={value.fields} level={level} whole={whole} />;
}

function FoldedGroup({
  value,
  level,
}: {
  readonly value: FieldValue & { kind: 'group' };
  readonly level: number;
}): JSX.Element {
  const isOpen = useSignal(false);
  return (
    <details class="json-fold" onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>
        <VisibleText text={value.summary} />
      </summary>
      {isOpen.value && <Fields fields={value.fields} level={level - 1} whole={false} />}
    </details>
  );
}

function Fields({
  fields,
  level,
  whole,
}: {
  readonly fields: readonly Field[];
  readonly level: number;
  readonly whole: boolean;
}): JSX.Element {
  const shown = useSignal(whole ? fields.length : openLines);
  const more = fields.length - shown.value;
  return (
    <>
      <dl class="json-fields">
        {fields.slice(0, shown.value).map(({ key, value }) => (
          <div key={key} class={value.kind === 'group' && value.fields.length > 0 ? 'json-field nested' : 'json-field'}>
            <dt>
              <VisibleText text={key} />
            </dt>
            <dd>
              <Value value={value} level={level + 1} whole={whole} />
            </dd>
          </div>
        ))}
      </dl>
      {more > 0 && (
        <button type="button" class="button quiet" onClick={() => (shown.value += 200)}>
          {more} more
        </button>
      )}
    </>
  );
}

/** A text with real line breaks. */
function Lines({ text, whole }: { readonly text: string; readonly whole: boolean }): JSX.Element {
  const isOpen = useSignal(whole);
  const { head, more } = firstLines(text);
  if (text === '') return <span class="muted">empty</span>;
  return (
    <div class="json-text">
      <VisibleText text={isOpen.value ? text : head} />
      {!isOpen.value && more > 0 && (
        <button type="button" class="button quiet" onClick={() => (isOpen.value = true)}>
          {more} more lines
        </button>
      )}
    </div>
  );
}
