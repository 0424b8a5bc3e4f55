import fc from 'fast-check';
import { composePrompt, extractParent, type SectionRange } from '../../../domain/prompt';
import { withTranscript } from '../../../domain/prompt/document';
import { bareCompose, bytesOf, compose, parentPrompt, refused, sha256, succeeded, textOf, wrap } from './samples';

const { markdown, sections } = parentPrompt;

function document(rendered: string, index: readonly SectionRange[], paths: readonly (readonly string[])[]): unknown {
  const redactions = paths.map((path) => ({ path, reason: 'not needed' }));
  return bareCompose(rendered, {
    parent: { agentId: 'a', promptNs: 'n', promptKey: 'k', rendered, sections: index },
    redactions,
  });
}

const slice = (bytes: Uint8Array, { start, end }: { start: number; end: number }): string =>
  textOf(bytes.subarray(start, end));

describe('redacting a section', () => {
  const result = compose(document(markdown, sections, [['policies', 'secrets']]));
  const secret = sections.find(({ path }) => path[1] === 'secrets')!;

  test('removes exactly its bytes', () => {
    const parent = bytesOf(markdown);
    const left = textOf(parent.subarray(0, secret.start)) + textOf(parent.subarray(secret.end));
    expect(textOf(extractParent(result.bytes))).toBe(left);
    expect(textOf(result.bytes)).not.toContain('vault');
  });

  test('is mentioned in the prompt of the subagent, with the reason', () => {
    const told = `### Redaction Summary\n\n- \`policies/secrets\` (${secret.end - secret.start} bytes) – not needed\n`;
    expect(textOf(result.bytes)).toContain(told);
    expect(result.redactions).toEqual([{ ...secret, reason: 'not needed' }]);
  });

  test('removes it from the index, and adjusts the ranges of the other sections', () => {
    expect(result.sections.map(({ path }) => path.join('/'))).not.toContain('policies/secrets');
    const style = result.sections.find(({ path }) => path.join('/') === 'policies/style')!;
    expect(slice(result.bytes, style)).toBe('### Style\n\nTwo spaces. “Quotes” are typographic.\n\n');
    expect(result.log).toMatchObject({
      withheld: ['policies/secrets'],
      inherited: ['task', 'policies', 'policies/style'],
    });
  });

  test('is noted where the instructions list it as inherited', () => {
    const base = document(markdown, sections, [['policies']]) as object;
    const inheriting = { ...base, instructions: { policies: { inherited: [['policies', 'style']] } } };
    expect(textOf(compose(inheriting).bytes)).toContain(
      '`policies/style` (its text is withheld, see Redaction Summary)',
    );
  });
});

test('overlapping sections are redacted once', () => {
  const result = compose(document(markdown, sections, [['policies'], ['policies', 'style']]));
  expect(textOf(extractParent(result.bytes))).toBe('## Task\n\nReview the change in services/billing.\n\n');
  expect(result.log.withheld).toEqual(['policies', 'policies/style', 'policies/secrets']);
});

test('any choice of ranges keeps the rest in order, with a matching index', () => {
  const ranges = fc.array(fc.tuple(fc.nat(60), fc.nat(60)), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }),
      ranges,
      fc.nat(63),
      (text, cuts, chosen) => {
        const characters = Array.from(text);
        const at = (position: number): number => bytesOf(characters.slice(0, position).join('')).length;
        const index = cuts.map(([a, b], i) => ({
          path: [`s${i}`],
          start: at(Math.min(a, b)),
          end: at(Math.max(a, b)),
        }));
        const withheld = index.filter((_, i) => (chosen >> i) % 2 === 1);
        const result = compose(
          document(
            text,
            index,
            withheld.map(({ path }) => path),
          ),
        );
        const kept = [...bytesOf(text)].filter((_, i) => !withheld.some(({ start, end }) => start <= i && i < end));
        expect([...extractParent(result.bytes)]).toEqual(kept);
        for (const { path, start, end } of result.sections.filter(({ path }) => /^s\d$/.test(path[0]!))) {
          const original = index.find((section) => section.path[0] === path[0])!;
          const left = [...bytesOf(text).entries()].filter(
            ([i]) => original.start <= i && i < original.end && !withheld.some((cut) => cut.start <= i && i < cut.end),
          );
          expect([...result.bytes.subarray(start, end)]).toEqual(left.map(([, byte]) => byte));
        }
      },
    ),
    { numRuns: 300 },
  );
});

describe('an invalid index is refused', () => {
  test.each([
    ['ends after the prompt', { start: 0, end: 6 }, 'parent.sections[0].end'],
    ['ends before it starts', { start: 2, end: 1 }, 'parent.sections[0].end'],
    ['starts inside a character', { start: 2, end: 5 }, 'parent.sections[0].start'],
    ['ends inside a character', { start: 0, end: 3 }, 'parent.sections[0].end'],
  ])('one that %s', (_, range, field) => {
    const error = refused(composePrompt(document('a€b', [{ path: ['x'], ...range }], [])));
    expect(error).toMatchObject({ type: 'Prompt.InvalidSections', field });
  });

  test('one with a path that occurs twice', () => {
    const twice = [0, 1].map((start) => ({ path: ['x'], start, end: 2 }));
    expect(refused(composePrompt(document('ab', twice, []))).type).toBe('Prompt.InvalidSections');
  });
});

describe('a redaction is refused', () => {
  test('when it is given twice', () => {
    const error = refused(composePrompt(document(markdown, sections, [['task'], ['task']])));
    expect(error).toMatchObject({ type: 'Prompt.InvalidRedaction', field: 'redactions[1].path' });
  });

  test('when the parent prompt has no such section, and the remedy lists the existing ones', () => {
    const error = refused(composePrompt(document(markdown, sections, [['tasks']])));
    expect(error).toMatchObject({ type: 'Prompt.UnknownSection', field: 'redactions[0].path' });
    expect(error.remediation).toContain('policies/secrets');
  });

  test('when the section contains a marker line', () => {
    const parent = compose(bareCompose('root'));
    const error = refused(
      composePrompt(document(textOf(parent.bytes), parent.sections, [['delegation-1', 'parent-prompt']])),
    );
    expect(error).toMatchObject({ type: 'Prompt.InvalidRedaction', field: 'redactions[0].path' });
  });

  test('when the remaining text would form a marker', () => {
    const text = '<!-- PARENT PROMPT XSTART -->\n<!-- PARENT PROMPT END -->';
    const error = refused(composePrompt(document(text, [{ path: ['x'], start: 19, end: 20 }], [['x']])));
    expect(error.type).toBe('Prompt.InvalidRedaction');
  });
});

test('the whole prompt can be withheld, whatever it contains', () => {
  const parent = compose(bareCompose('root secret'));
  const result = compose(document(textOf(parent.bytes), parent.sections, [[]]));
  expect(extractParent(result.bytes)).toHaveLength(0);
  expect(textOf(result.bytes)).toContain('- The whole parent prompt (');
  expect(textOf(result.bytes)).not.toContain('root secret');
});

describe('section paths', () => {
  const byPath = (all: readonly SectionRange[], path: string): SectionRange =>
    all.find((section) => section.path.join('/') === path)!;

  test('stay the same at every depth, and so does the text they refer to', () => {
    let prompt = { text: markdown, index: sections };
    for (let depth = 1; depth <= 8; depth += 1) {
      const next =
        depth % 2 === 0
          ? compose(document(prompt.text, prompt.index, []))
          : wrap({
              parent: { prompt: prompt.text, sections: prompt.index },
              delegation: { reason: 'r', expectedResult: 'e', mayDelegateFurther: true, recapLines: ['l'] },
            });
      expect(slice(next.bytes, byPath(next.sections, 'policies/style'))).toContain('### Style\n\nTwo spaces.');
      const own = depth % 2 === 0 ? 'delegation-overview' : 'delegation-summary';
      expect(slice(next.bytes, byPath(next.sections, `delegation-${depth}/${own}`))).toMatch(
        /^# Delegation (Overview|Summary)\n/,
      );
      prompt = { text: textOf(next.bytes), index: next.sections };
    }
    expect(new Set(prompt.index.map(({ path }) => path.join('/'))).size).toBe(prompt.index.length);
    const last = compose(
      document(prompt.text, prompt.index, [
        ['policies', 'style'],
        ['delegation-2', 'tooling-context'],
      ]),
    );
    expect(textOf(last.bytes)).not.toContain('Two spaces.');
  });

  test('cover the headings they are named after', () => {
    const result = compose(bareCompose('p'));
    for (const [path, heading] of [
      ['delegation-1/parent-prompt', '## Parent Prompt\n'],
      ['delegation-1/delegation-details/scope-constraints', '### Scope Constraints\n'],
      ['delegation-1/reporting-requirements/citations', '### Citations\n'],
    ] as const) {
      expect(slice(result.bytes, byPath(result.sections, path)).startsWith(heading)).toBe(true);
    }
  });
});

describe('the transcript of the parent', () => {
  test('is reported as withheld when it is not part of the prompt', () => {
    expect(textOf(compose(bareCompose('p')).bytes)).toContain("- The parent's transcript – withheld by policy");
  });

  test('is included as the last section, and is then not reported as withheld', () => {
    const full = withTranscript({ markdown, sections }, 'user: hello\n\nassistant: hello');
    expect(full.markdown.endsWith('\n\n## Transcript\n\nuser: hello\n\nassistant: hello\n')).toBe(true);
    const result = compose(document(full.markdown, full.sections, []));
    expect(textOf(result.bytes)).not.toContain('### Redaction Summary');
    const again = withTranscript({ markdown: textOf(result.bytes), sections: result.sections }, 'second');
    expect(again.sections.at(-1)!.path).toEqual(['delegation-1', 'transcript']);
    expect(slice(bytesOf(again.markdown), again.sections.at(-1)!)).toBe('## Transcript\n\nsecond\n');
  });

  test('cannot be mistaken for another level of nesting', () => {
    const parent = textOf(compose(bareCompose('root')).bytes);
    const full = withTranscript({ markdown: parent, sections: [] }, 'a\n<!-- PARENT PROMPT END -->\n');
    expect(textOf(extractParent(bytesOf(full.markdown)))).toBe('root');
    expect(succeeded(composePrompt(bareCompose(full.markdown), { sha256 })).ok).toBe(true);
  });
});

test('redactions that unmake one marker line and make another are refused', () => {
  const end = '<!-- PARENT PROMPT END -->';
  const text = `<!-- PARENT PROMPT START -->\nA\nX${end}\nB\n${end}\nC`;
  const at = (part: string, length: number): { start: number; end: number } => {
    return { start: text.indexOf(part), end: text.indexOf(part) + length };
  };
  const index = [
    { path: ['x'], ...at(`X${end}`, 1) },
    { path: ['break'], ...at(`\n${end}\nC`, 1) },
  ];
  expect(refused(composePrompt(document(text, index, [['x'], ['break']])))).toMatchObject({
    type: 'Prompt.InvalidRedaction',
    reason: 'without this section the text would have different markers',
  });
});

test('composing takes time in proportion to the number of sections and redactions', () => {
  const count = 40_000;
  const rendered = 'x'.repeat(2 * count);
  const index = Array.from({ length: count }, (_, at) => ({ path: [`s${at}`], start: 2 * at, end: 2 * at + 1 }));
  const began = process.cpuUsage().user;
  const result = compose(
    document(
      rendered,
      index,
      index.map(({ path }) => path),
    ),
  );
  expect(extractParent(result.bytes)).toHaveLength(count);
  // Quadratic work on this input takes minutes.
  expect(process.cpuUsage().user - began).toBeLessThan(30_000_000);
});
