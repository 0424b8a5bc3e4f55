import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../support/paths';

type Colours = Readonly<Record<string, string>>;

const css = readFileSync(join(projectRoot, 'page', 'theme.css'), 'utf8');

/** Colours by name, of the first or the second of the two that each one has. */
function coloursOf(theme: 0 | 1): Colours {
  const pairs = css.matchAll(/--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);/g);
  return Object.fromEntries([...pairs].map(([, name = '', ...colours]) => [name, colours[theme] ?? '']));
}

const light = coloursOf(0);
const dark = coloursOf(1);

/** Relative luminance, as WCAG 2 defines it. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(a: string, b: string): number {
  const [high = 0, low = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
}

const states = ['needs-you', 'failed', 'running', 'waiting', 'completed', 'paused', 'cancelled', 'skipped'];
const textPairs: readonly (readonly [text: string, on: string])[] = [
  ...['text', 'muted', 'accent', ...states].flatMap((text) =>
    ['bg', 'surface', 'selected'].map((on) => [text, on] as const),
  ),
  ...states.map((state) => [state, `${state}-tint`] as const),
  ['on-accent', 'accent'],
  ['on-needs-you', 'needs-you'],
  ['added', 'added-tint'],
  ['removed', 'removed-tint'],
];
const shapePairs = ['control', 'focus', 'bar-model', 'bar-tool', 'bar-wait'].map(
  (shape) => [shape, 'surface'] as const,
);

describe.each([
  ['light', light],
  ['dark', dark],
])('the %s colours', (_, colours) => {
  const tooLow = (pairs: readonly (readonly [string, string])[], least: number): string[] =>
    pairs
      .map(([a, b]) => ({ pair: `${a} on ${b}`, ratio: contrast(colours[a] ?? '#000000', colours[b] ?? '#000000') }))
      .filter(({ ratio }) => ratio < least)
      .map(({ pair, ratio }) => `${pair}: ${ratio.toFixed(2)}`);

  test('of texts have a contrast of 4.5, those of shapes one of 3', () => {
    expect(Object.keys(colours).length).toBeGreaterThan(30);
    expect(tooLow(textPairs, 4.5)).toEqual([]);
    expect(tooLow(shapePairs, 3)).toEqual([]);
  });
});
