import { checkHandoff } from '../../../domain/handoff';
import { type Handoff, type HandoffRequirements, maxViolationLength } from '../../../domain/handoff/handoff-schema';
import { handoff } from './support';

const nothing: HandoffRequirements = { decisions: [], artifacts: [] };

function violation(text: string | Partial<Record<keyof Handoff, unknown>>, facts = nothing): string {
  const checked = checkHandoff(typeof text === 'string' ? text : JSON.stringify({ ...handoff, ...text }), facts);
  if (checked.ok) throw new Error('it was accepted');
  expect(checked.violation.length).toBeLessThanOrEqual(maxViolationLength);
  return checked.violation;
}

test('a valid handoff is accepted unchanged', () => {
  const facts = { decisions: ['Use tabs.'], artifacts: ['findings.md'] };
  const full = { ...handoff, decisions: ['Use tabs.'], artifacts: ['findings.md'] };
  expect(checkHandoff(`\n${JSON.stringify(full, null, 2)}\n`, facts)).toEqual({ ok: true, handoff: full });
});

test.each([
  ['words before it', `Here it is: ${JSON.stringify(handoff)}`],
  ['words after it', `${JSON.stringify(handoff)} I hope this helps.`],
  ['a code fence', `\`\`\`json\n${JSON.stringify(handoff)}\n\`\`\``],
  ['two objects', `${JSON.stringify(handoff)}${JSON.stringify(handoff)}`],
  ['its end cut off', JSON.stringify(handoff).slice(0, -9)],
  ['nothing in it', ''],
])('a message with %s is not a handoff', (_, text) => {
  expect(violation(text)).toBe(
    'it is not exactly one JSON object; remove everything before and after it, including code fences',
  );
});

test.each<[string, Partial<Record<keyof Handoff | 'mood', unknown>>, RegExp]>([
  ['no goal', { goal: undefined }, /^goal: /],
  ['an empty goal', { goal: ' \n' }, /^goal: must not be empty/],
  ['a goal over 1,000 characters', { goal: 'x'.repeat(1_001) }, /^goal: .*1000/],
  ['a list that is a text', { done: 'all' }, /^done: /],
  ['an item over 1,000 characters', { next_steps: ['a', 'x'.repeat(1_001)] }, /^next_steps\.1: .*1000/],
  ['more than 100 items', { open_questions: Array.from({ length: 101 }, String) }, /^open_questions: .*100/],
  ['a field too many', { mood: 'good' }, /^handoff: .*mood/],
  ['half a character', { done: ['\ud83d'] }, /^done\.0: .*surrogate/],
])('a handoff with %s is refused, and the field named', (_, change, expected) => {
  expect(violation(change)).toMatch(expected);
});

test('neither a list nor plain text is a handoff', () => {
  expect(violation('[]')).toMatch(/^handoff: /);
  expect(violation('"done"')).toMatch(/^handoff: /);
});

test('a handoff over 24 KiB is refused, with its size', () => {
  const done = Array.from({ length: 26 }, () => 'x'.repeat(1_000));
  expect(violation({ done })).toMatch(/^it is 26\d{3} bytes; the limit is 24576/);
  expect(checkHandoff(JSON.stringify({ ...handoff, done: done.slice(0, 23) }), nothing).ok).toBe(true);
});

describe('recorded decisions', () => {
  const twenty = Array.from({ length: 20 }, (_, index) => `Fact ${index}: the port is ${4_000 + index}.`);
  const facts = { ...nothing, decisions: twenty };

  test('must all be included', () => {
    expect(checkHandoff(JSON.stringify({ ...handoff, decisions: twenty }), facts).ok).toBe(true);
    expect(violation({ decisions: twenty.filter((_, index) => index !== 7) }, facts)).toBe(
      'decisions: a recorded decision is missing or not word for word: "Fact 7: the port is 4007."',
    );
  });

  test('that are missing are named, up to the first few', () => {
    expect(violation({ decisions: twenty.slice(0, 10) }, facts)).toBe(
      'decisions: 10 recorded decisions are missing or not word for word: "Fact 10: the port is 4010.", "Fact 11: the port is 4011.", "Fact 12: the port is 4012." and 7 more',
    );
  });

  test('may differ in spaces and line breaks, and may be quoted within a longer item', () => {
    const decisions = ['Fact 0:\n  the port   is 4000. ', 'We agreed on this ("Fact 1: the port is 4001.") early on.'];
    const checked = checkHandoff(JSON.stringify({ ...handoff, decisions }), {
      ...nothing,
      decisions: twenty.slice(0, 2),
    });
    expect(checked).toMatchObject({ ok: true });
  });

  test.each([
    ['other words', 'Use tabs', 'We use tabs'],
    ['only a part of longer words', 'Use tabs', 'Use tabstops'],
    ['only the end of a word', 'port 80', 'Airport 80'],
    ['only a part of a number', 'The port is 80', 'The port is 8080'],
    ['another field', 'Use tabs', 'Nothing'],
  ])('are missing when there are %s', (_, decision, item) => {
    const written = { decisions: [item], done: ['Use tabs'] };
    expect(violation(written, { ...nothing, decisions: [decision] })).toMatch(
      /^decisions: a recorded decision is missing/,
    );
  });

  test('are found after a longer word that contains them', () => {
    const decisions = ['Use tabstops, and: Use tabs'];
    expect(checkHandoff(JSON.stringify({ ...handoff, decisions }), { ...nothing, decisions: ['Use tabs'] }).ok).toBe(
      true,
    );
  });

  test('that are long are shortened in the violation', () => {
    const decisions = Array.from({ length: 12 }, (_, index) => `${index}`.repeat(400));
    const artifacts = Array.from({ length: 50 }, (_, index) => `${index}`.padEnd(190, 'n'));
    expect(violation({ artifacts }, { ...nothing, decisions })).toMatch(
      /^decisions: 12 recorded decisions are missing/,
    );
  });
});

test('artifacts that are named must exist', () => {
  const facts = { ...nothing, artifacts: ['findings.md'] };
  expect(violation({ artifacts: ['findings.md', 'dreams.md'] }, facts)).toBe(
    'artifacts: no such artifact: "dreams.md"',
  );
});
