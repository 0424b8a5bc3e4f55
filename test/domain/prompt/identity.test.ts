import fc from 'fast-check';
import { delegationId } from '../../../domain/kernel';
import {
  composePrompt,
  composePromptFromBytes,
  type CompositionResult,
  wrapPrompt,
  wrapPromptFromBytes,
} from '../../../domain/prompt';
import { changedOnce, different } from './change-one-field';
import { bytesOf, compose, composeDocument, sha256, wrap, wrapDocument } from './samples';

const idOf = (result: CompositionResult): string => (result.ok ? result.delegationId : result.error.delegationId);

const styles = [
  ['six sections', composePrompt, composeDocument()],
  ['thin wrapper', wrapPrompt, wrapDocument()],
] as const;

describe.each(styles)('the id of a delegation (%s)', (_, run, document) => {
  const id = idOf(run(document, { sha256 }));

  test('has 26 unambiguous characters', () => {
    expect(id).toMatch(/^[0-9a-hjkmnp-tv-z]{26}$/);
  });

  test('changes with any single field, whether the result is valid or not', () => {
    const changed = changedOnce(document, different).filter(({ field }) => !field.startsWith('limits.'));
    expect(changed.length).toBeGreaterThan(10);
    const ids = changed.map(({ document: other }) => idOf(run(other, { sha256 })));
    expect(new Set([id, ...ids]).size).toBe(changed.length + 1);
  });

  test('does not depend on the limits, even when the prompt is too large', () => {
    const failed = run({ ...document, limits: { maxBytes: 1 } }, { sha256 });
    expect(failed.ok).toBe(false);
    expect(idOf(failed)).toBe(id);
  });

  test('does not depend on the order of the fields', () => {
    const backwards = Object.fromEntries(Object.entries(document).reverse());
    expect(idOf(run(backwards, { sha256 }))).toBe(id);
  });

  test('is the one in the document, if there is one', () => {
    expect(idOf(run({ ...document, delegationId: 'mine' }, { sha256 }))).toBe('mine');
    expect(idOf(run({ ...document, delegationId: 'mine', limits: { maxBytes: 1 } }, { sha256 }))).toBe('mine');
  });

  test('exists for any input', () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withDate: true, withSparseArray: true }), (input) => {
        const result = run(input, { sha256 });
        expect(result.ok).toBe(false);
        expect(idOf(result)).toMatch(/^[0-9a-z]{26}$/);
      }),
      { numRuns: 300 },
    );
  });
});

test('composing is deterministic: the same input gives the same bytes and the same id', () => {
  const [first, second] = [compose(composeDocument()), compose(composeDocument())];
  expect(first).toEqual(second);
  expect(wrap(wrapDocument())).toEqual(wrap(wrapDocument()));
});

test('composing over bytes is the same as composing from a document', () => {
  const { parent, ...rest } = composeDocument();
  const { rendered, ...others } = parent;
  expect(composePromptFromBytes({ bytes: bytesOf(rendered) }, { ...rest, parent: others })).toEqual(
    compose(composeDocument()),
  );
  const document = wrapDocument();
  const bytes = bytesOf(document.parent.prompt);
  const input = { ...document, parent: { output: document.parent.output } };
  expect(wrapPromptFromBytes({ bytes, hash: sha256(bytes) }, input)).toEqual(wrap(wrapDocument()));
});

test('ids stay what they were in earlier versions', () => {
  // Released runs are found by these ids. A change here changes the ids of existing delegations.
  expect(delegationId({ parentPrompt: null, payload: {}, tooling: null, position: null })).toBe(
    'vt1629fn51vefx3hay0gc8zay4',
  );
  const position = { parentDelegationId: null, runId: 'r1', ordinal: 0 };
  expect(delegationId({ parentPrompt: 'ab', payload: { b: 1, a: '\ud800' }, tooling: [], position })).toBe(
    '4948xfjxzamxzbx2brwnz9cjpm',
  );
});

test('numbers that JSON lacks and cyclic values get an id too', () => {
  const endless: unknown[] = [];
  endless.push(endless);
  const of = (payload: unknown): string => delegationId({ parentPrompt: null, payload, tooling: null, position: null });
  expect(new Set([of(Infinity), of(-Infinity), of(NaN), of(10n), of(endless), of(undefined)]).size).toBe(6);
});
