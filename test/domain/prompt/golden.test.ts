import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { agentPrompt, renderPrompt } from '../../../domain/prompt';
import { composeDocumentSchema } from '../../../domain/prompt/compose/compose-input';
import { wrapDocumentSchema } from '../../../domain/prompt/wrap/wrap-input';
import { compose, composeDocument, textOf, wrap, wrapDocument } from './samples';

/** `UPDATE_GOLDEN=1 npx jest …` rewrites the files. Run Prettier afterwards, and read them. */
const updating = process.env['UPDATE_GOLDEN'] === '1';

function expectFile(path: string, text: string): void {
  if (updating) writeFileSync(path, text);
  expect(text).toBe(readFileSync(path, 'utf8'));
}

const golden = (name: string): string => join(__dirname, 'golden', name);
const reference = (name: string): string => join(__dirname, '../../../docs/reference', name);

describe('a representative prompt reads well', () => {
  test('composed with six sections', () => {
    expectFile(golden('six-sections.md'), textOf(compose(composeDocument()).bytes));
  });

  test('in a thin wrapper', () => {
    expectFile(golden('thin-wrapper.md'), textOf(wrap(wrapDocument()).bytes));
  });

  test('of a delegation below a delegation, in both styles', () => {
    const outer = wrapDocument();
    const first = wrap({ ...outer, delegation: { ...outer.delegation, mayDelegateFurther: true }, adapter: undefined });
    const { parent, delegation, instructions, reporting, position } = composeDocument();
    const second = compose({
      parent: { ...parent, rendered: textOf(first.bytes), sections: first.sections },
      delegation,
      instructions: { ...instructions, toolPolicies: [] },
      reporting,
      position: { ...position, parentDelegationId: first.delegationId },
    });
    expectFile(golden('nested.md'), textOf(second.bytes));
  });

  test('of a root agent', () => {
    const goal = 'Find out why the nightly export is slow, and propose one change.';
    expectFile(
      golden('agent.md'),
      renderPrompt(agentPrompt.definition, { parameters: agentPrompt.bind({ goal }) }).markdown,
    );
  });
});

describe('the layout', () => {
  const headings = (text: string): string[] => text.split('\n').filter((line) => /^##? /.test(line));

  test('has the six headings of the spec in order, around the parent prompt', () => {
    const rest = textOf(
      compose({
        ...composeDocument(),
        parent: { agentId: 'a', promptNs: 'n', promptKey: 'k', rendered: 'p' },
        redactions: [],
      }).bytes,
    );
    expect(headings(rest.replace(/````text[^]*?````/, ''))).toEqual([
      '# Delegation Overview',
      '## Parent Prompt',
      '## Delegation Details',
      '## Subagent Instructions',
      '## Tooling Context',
      '## Reporting Requirements',
    ]);
  });

  test.each([
    [
      'an object, no extra keys',
      { container: 'object' },
      'MUST be an object that matches the fields of the expected schema. Do not add extra keys.\n',
    ],
    [
      'an array, extra keys allowed',
      { container: 'array', allowExtraKeys: true },
      'MUST be an array that matches the fields of the expected schema.\n',
    ],
  ])('of a wrapper asks for %s', (_, output, sentence) => {
    const base = { ...wrapDocument(), parent: { prompt: 'p', output } };
    const text = textOf(wrap(base).bytes);
    expect(text).toContain(
      `## Response Format\nReturn ONLY a single fenced JSON code block. Do not include any text before or after the block.\n\nThe top-level JSON value ${sentence}`,
    );
    expect(headings(text)).toEqual([
      '# Delegation Summary',
      '## Response Format',
      '## Parent Prompt (Verbatim)',
      '## Recap',
    ]);
    expect(headings(textOf(wrap({ ...base, adapter: { nativeStructuredOutput: true } }).bytes))).not.toContain(
      '## Response Format',
    );
    expect(headings(textOf(wrap({ ...base, parent: { prompt: 'p', output: null } }).bytes))).not.toContain(
      '## Response Format',
    );
  });
});

describe('the published schema is up to date', () => {
  test.each([
    ['compose-input.schema.json', composeDocumentSchema],
    ['wrap-input.schema.json', wrapDocumentSchema],
  ])('%s', (name, schema) => {
    // Compared as a value, because Prettier formats the file.
    const wanted: unknown = JSON.parse(JSON.stringify(z.toJSONSchema(schema, { io: 'input' })));
    if (updating) writeFileSync(reference(name), JSON.stringify(wanted, null, 2));
    expect(JSON.parse(readFileSync(reference(name), 'utf8'))).toEqual(wanted);
  });
});
