import fc from 'fast-check';
import type { Json } from '../../../domain/kernel';

/** Texts that have broken programs before. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.string({ maxLength: 40 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 20 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      ...['', ' ', '\n', '\r\n', '\0', '\u001b[31m', '\u202e', '\ufeff', '\ud800', '\udfff', '😀', 'e\u0301', 'ﬁ', 'İ'],
      ...[
        '..',
        '../x',
        '/etc/passwd',
        'a//b',
        './',
        'C:\\x',
        'con',
        '-',
        '--yes',
        '~',
        '*',
        '**/**',
        '[',
        '(a+)+$',
        '\\',
      ],
      ...['null', 'true', '0', '-0', '1e999', 'NaN', '__proto__', 'constructor', 'toString', '${goal}', '{{x}}'],
      ...['<a>', '</response>', '<![CDATA[', '&#0;', '&lol;', '```', '## Heading', '<!-- PARENT PROMPT START -->'],
      ...['<!-- PARENT PROMPT END -->', '%00', '%2e%2e%2f', 'x'.repeat(300), 'é'.repeat(5_000), 'S001', 'a.md'],
    ),
  },
);

/** Keys that objects have already, and others. */
const hostileKey = fc.oneof(fc.constantFrom('__proto__', 'constructor', 'toJSON', 'then', 'length', ''), hostileText);

const scalar: fc.Arbitrary<Json> = fc.oneof(
  hostileText,
  fc.constantFrom<Json>(null, true, false, 0, -0, -1, 1.5, 1e300, 2 ** 53, Number.MAX_SAFE_INTEGER, 1e-300),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

const deep = (depth: number): Json => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`) as Json;

/** Any JSON value, as `JSON.parse` returns it: an own property may be named `__proto__`. */
export const hostileJson: fc.Arbitrary<Json> = fc.oneof(
  { weight: 6, arbitrary: scalar },
  { weight: 2, arbitrary: fc.array(scalar, { maxLength: 4 }) },
  { weight: 2, arbitrary: objectsOf(scalar) },
  { weight: 1, arbitrary: objectsOf(fc.oneof(scalar, fc.array(objectsOf(scalar), { maxLength: 2 }))) },
  { weight: 1, arbitrary: fc.constantFrom(deep(50), deep(3_000), 'x'.repeat(100_000)) },
);

/** Objects with these values, whose keys are own properties even if they are named `__proto__`. */
function objectsOf(values: fc.Arbitrary<Json>): fc.Arbitrary<Json> {
  return fc
    .array(fc.tuple(hostileKey, values), { maxLength: 4 })
    .map((entries) => Object.fromEntries(entries.map(([key, value]) => [key, value])));
}

type Change =
  | { readonly kind: 'replace' | 'add'; readonly key: string; readonly value: Json }
  | { readonly kind: 'remove' | 'repeat' };

const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('replace' as const), key: hostileKey, value: hostileJson }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('add' as const), key: hostileKey, value: hostileJson }) },
  { weight: 2, arbitrary: fc.constantFrom<Change>({ kind: 'remove' }, { kind: 'repeat' }) },
);

/** Values of which some are left as they are, and others are changed somewhere inside, once or twice. */
export function changed(values: fc.Arbitrary<Json>, unchanged = 0.5): fc.Arbitrary<Json> {
  const weight = Math.round(unchanged * 100);
  const changes = fc.array(fc.tuple(fc.nat(), change), { minLength: 1, maxLength: 2 });
  return fc.oneof(
    { weight, arbitrary: values },
    {
      weight: 100 - weight,
      arbitrary: fc
        .tuple(values, changes)
        .map(([value, all]) => all.reduce((now, [at, one]) => changedAt(now, at, one), value)),
    },
  );
}

/** Levels of a value that are changed. Values further down may be nested deeply. */
const deepestChange = 20;

/** Changes the value whose position, among all values inside, is `at` modulo their number. */
function changedAt(value: Json, at: number, one: Change): Json {
  let left = at % countOf(value, deepestChange);
  const visit = (now: Json, depth: number): Json | undefined => {
    if (left === 0) {
      left = -1;
      return applied(now, one);
    }
    left -= 1;
    if (depth === 0) return now;
    if (Array.isArray(now))
      return now.flatMap((item: Json) => {
        const isHere = left === 0 && one.kind === 'repeat';
        const next = left < 0 ? item : visit(item, depth - 1);
        return next === undefined ? [] : isHere ? [next, next] : [next];
      });
    if (typeof now !== 'object' || now === null) return now;
    const entries = Object.entries(now).flatMap(([key, item]): [string, Json][] => {
      const next = left < 0 ? item : visit(item, depth - 1);
      return next === undefined ? [] : [[key, next]];
    });
    return Object.fromEntries(entries);
  };
  return visit(value, deepestChange) ?? null;
}

function applied(value: Json, one: Change): Json | undefined {
  switch (one.kind) {
    case 'replace':
      return one.value;
    case 'remove':
      return undefined;
    case 'repeat':
      return value;
    case 'add':
      if (Array.isArray(value)) return [...(value as Json[]), one.value];
      return typeof value === 'object' && value !== null
        ? Object.fromEntries([...Object.entries(value), [one.key, one.value]])
        : one.value;
  }
}

function countOf(value: Json, depth: number): number {
  if (typeof value !== 'object' || value === null || depth === 0) return 1;
  return Object.values(value).reduce((sum: number, item) => sum + countOf(item, depth - 1), 1);
}
