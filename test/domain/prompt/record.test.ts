import fc from 'fast-check';
import { auditComposition, type ComposedPrompt, composePrompt, wrapPrompt } from '../../../domain/prompt';
import { compositionRecordSchema } from '../../../domain/prompt/composition-record';
import { bytesOf, compose, composeDocument, sha256, textOf, wrap, wrapDocument } from './samples';

const cases: [string, ComposedPrompt, Uint8Array][] = [
  ['six sections', compose(composeDocument()), bytesOf(composeDocument().parent.rendered)],
  ['thin wrapper', wrap(wrapDocument()), bytesOf(wrapDocument().parent.prompt)],
];

describe.each(cases)('the record of a composition (%s)', (_, { record, bytes, hash }, parent) => {
  test('is plain JSON that matches its schema', () => {
    expect(compositionRecordSchema.parse(JSON.parse(JSON.stringify(record)))).toEqual(record);
  });

  test('contains both hashes and the whole input, without the text of the parent', () => {
    expect(record.parent).toEqual({ hash: sha256(parent), bytes: parent.length });
    expect(record.prompt).toEqual({ hash, bytes: bytes.length });
    expect(JSON.stringify(record)).not.toContain(JSON.stringify(textOf(parent)).slice(1, 80));
  });

  test('is enough to rebuild the prompt', () => {
    expect(auditComposition({ record, parent, prompt: bytes }, { sha256 })).toBeUndefined();
  });

  test('detects any flipped bit in either prompt', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(7), fc.boolean(), (position, bit, inParent) => {
        const flipped = new Uint8Array(inParent ? parent : bytes);
        flipped[position % flipped.length]! ^= 1 << bit;
        const stored = inParent ? { record, parent: flipped, prompt: bytes } : { record, parent, prompt: flipped };
        expect(auditComposition(stored, { sha256 })).toMatch(
          inParent ? /^the parent prompt has hash/ : /^the prompt has hash/,
        );
      }),
      { numRuns: 60 },
    );
  });

  test('detects a prompt that matches its hash but is not the composed one', () => {
    const forged = bytesOf(textOf(bytes).replace('Delegation id', 'Delegation ID'));
    const lying = { ...record, prompt: { hash: sha256(forged), bytes: forged.length } };
    expect(auditComposition({ record: lying, parent, prompt: forged }, { sha256 })).toMatch(/differs from byte \d+ on/);
  });

  test('detects an input that could not have been composed', () => {
    const lying = { ...record, input: { ...record.input, delegation: {} } };
    expect(auditComposition({ record: lying, parent, prompt: bytes }, { sha256 })).toMatch(
      /^it cannot be composed again/,
    );
  });
});

describe('the log record', () => {
  test('of a success contains the parent prompt, what was inherited and withheld, and the sizes', () => {
    const { log, delegationId, bytes } = compose(composeDocument());
    expect(log).toEqual({
      event: 'prompt composed',
      delegationId,
      parentPromptKey: 'acme/reviewer',
      inherited: ['task', 'policies', 'policies/style'],
      withheld: ['policies/secrets'],
      parentBytes: bytesOf(composeDocument().parent.rendered).length,
      promptBytes: bytes.length,
      error: null,
    });
  });

  test('of a failure contains the delegation, the parent prompt and the error', () => {
    const failed = composePrompt({ ...composeDocument(), limits: { maxBytes: 1 } });
    expect(failed.log).toMatchObject({
      event: 'prompt composition failed',
      delegationId: compose(composeDocument()).delegationId,
      parentPromptKey: 'acme/reviewer',
      error: { type: 'Prompt.TooLarge', field: 'parent.rendered' },
    });
    expect(wrapPrompt(null).log).toMatchObject({ parentPromptKey: null, error: { type: 'Prompt.MissingParent' } });
  });
});
