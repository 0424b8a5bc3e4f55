import * as fc from 'fast-check';
import { firstSentence, isOneSentence } from '../../../domain/prompt/checks/sentences';

describe('a single sentence', () => {
  test.each([
    'Gather product A metrics',
    'Count the stars.',
    'Check the rounding, e.g. In totals, i.e. Sums, of v1.2.3 and 3.14.',
    'Compare src/login.ts with docs/README.md and config.prod.yaml.',
    'Ask Dr. Smith, Prof. J. R. Miller et al. At Acme Inc. Before noon.',
    'See Fig. 3, Sec. 4 and No. 5 of https://example.com/a.html?b=1!c.',
    'Is this right?',
    'Wait... What is it?',
    'It says "Stop. now" to approx. 5 of the U.S. Users.',
    '1. Read everything.',
    'Read everything (all of it.) and report',
    'コードを読む。',
    '',
  ])('%s', (text) => {
    expect(isOneSentence(text)).toBe(true);
  });

  test.each([
    ['Gather the metrics. Then compare them. Then report.', 'Gather the metrics.'],
    ['Read src/login.ts. It is wrong.', 'Read src/login.ts.'],
    ['Is it wrong? Fix it.', 'Is it wrong?'],
    ['Stop! "Go on."', 'Stop!'],
    ['It says "stop." Then it stops.', 'It says "stop."'],
    ['Use version 2. Report.', 'Use version 2.'],
    ['コードを読む。報告する。', 'コードを読む。'],
  ])('not: %s', (text, first) => {
    expect(isOneSentence(text)).toBe(false);
    expect(firstSentence(text)).toBe(first);
  });
});

describe('the first sentence', () => {
  test.each([
    ['Find out\nwhat v1.2 broke, e.g. in a.ts. Then report.', 'Find out what v1.2 broke, e.g. in a.ts.'],
    ['# Task\nRead the code. Report.', 'Task'],
    ['- Read the code\n- Report', 'Read the code'],
    ['1. Read the code\n2. Report', 'Read the code'],
    ['> ## Recap\n\nRead.', 'Recap'],
    ['\n\n  Read the code\n\nReport.', 'Read the code'],
    ['###', '###'],
  ])('of %j', (text, first) => {
    expect(firstSentence(text)).toBe(first);
  });

  test('of any text is one sentence on one line, and empty only if the text is', () => {
    const words = fc.array(
      fc.constantFrom('Go', 'on', 'e.g', '.', '. ', '\n', '\n\n', '#', '- ', '?', '! ', 'A', '3', '"'),
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          words.map((parts) => parts.join('')),
        ),
        (text) => {
          const first = firstSentence(text);
          expect(isOneSentence(first)).toBe(true);
          expect(first).not.toMatch(/[\n\r]/);
          expect(first === '').toBe(text.trim() === '');
        },
      ),
    );
  });
});
