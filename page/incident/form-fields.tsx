import type { JSX } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import type { ViewIncident } from '../../client/view/run-view';
import { amendmentFields } from './decision';
import { draftOf, writeDraft } from './drafts';

interface TextFieldProps {
  readonly draftKey: string;
  readonly name: string;
  readonly label: string;
  /** Words behind the label. */
  readonly aside?: string;
  /** Lines; one line is an input. */
  readonly rows?: number;
  readonly isNumber?: boolean;
  /** Gets the focus when it appears. */
  readonly isFirst?: boolean;
}

/** A field of a draft. */
export function TextField({
  draftKey,
  name,
  label,
  aside,
  rows = 1,
  isNumber = false,
  isFirst = false,
}: TextFieldProps): JSX.Element {
  const id = useId();
  const value = draftOf(draftKey).value[name] ?? '';
  const element = useRef<HTMLInputElement & HTMLTextAreaElement>(null);
  useEffect(() => {
    if (isFirst) element.current?.focus();
  }, []);
  const onInput = (event: { readonly currentTarget: { readonly value: string } }): void =>
    writeDraft(draftKey, name, event.currentTarget.value);
  return (
    <div class={isNumber ? 'field number' : 'field'}>
      <label for={id}>{label}</label>
      {aside !== undefined && <span class="field-aside">{aside}</span>}
      {rows > 1 ? (
        <textarea ref={element} id={id} rows={rows} value={value} onInput={onInput} />
      ) : (
        <input
          ref={element}
          id={id}
          value={value}
          inputMode={isNumber ? 'decimal' : 'text'}
          autocomplete="off"
          onInput={onInput}
        />
      )}
    </div>
  );
}

/** What may be changed before a step is tried again. */
export function AmendmentFields({ draftKey }: { readonly draftKey: string }): JSX.Element {
  return (
    <div class="amendment">
      {amendmentFields.map(({ name, label, kind }, index) => (
        <TextField
          key={name}
          draftKey={draftKey}
          name={name}
          label={label}
          rows={kind === 'text' ? 3 : 1}
          isNumber={kind === 'number'}
          isFirst={index === 0}
        />
      ))}
    </div>
  );
}

/** Options of a question as buttons to choose from, and a field for another answer. */
export function AnswerField({
  draftKey,
  incident,
}: {
  readonly draftKey: string;
  readonly incident: ViewIncident;
}): JSX.Element {
  const chosen = draftOf(draftKey).value['answer'] ?? '';
  const { options } = incident;
  if (options === undefined) return <TextField draftKey={draftKey} name="answer" label="Answer" rows={3} />;
  return (
    <fieldset class="answers">
      <legend>Answer</legend>
      {options.map((option) => (
        <label key={option}>
          <input
            type="radio"
            name={draftKey}
            checked={chosen === option}
            onChange={() => writeDraft(draftKey, 'answer', option)}
          />
          {option}
        </label>
      ))}
      {incident.freeText === true && <TextField draftKey={draftKey} name="answer" label="Another answer" />}
    </fieldset>
  );
}

/** Choices about a call that waits for approval: further calls, and other arguments. */
export function CallFields({
  draftKey,
  incident,
}: {
  readonly draftKey: string;
  readonly incident: ViewIncident;
}): JSX.Element {
  const draft = draftOf(draftKey).value;
  const isEditing = draft['edit'] !== undefined;
  const original = incident.argumentsText ?? '{}';
  return (
    <div class="call-fields">
      <label>
        <input
          type="checkbox"
          checked={draft['always'] === 'yes'}
          onChange={(event) => writeDraft(draftKey, 'always', event.currentTarget.checked ? 'yes' : '')}
        />
        also decide so about further such calls
      </label>
      <label>
        <input
          type="checkbox"
          checked={isEditing}
          onChange={(event) => writeDraft(draftKey, 'edit', event.currentTarget.checked ? original : '')}
        />
        approve with other arguments
      </label>
      {isEditing && <TextField draftKey={draftKey} name="edit" label="Arguments as JSON" rows={6} />}
    </div>
  );
}
