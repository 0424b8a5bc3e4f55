import { visibleText } from '../../domain/kernel';
import { cutToWidth, displayWidth } from './width';

/** How a part of a line looks where there are colours. The words say the same without them. */
export type Style = 'good' | 'bad' | 'attention' | 'active' | 'quiet' | 'strong';

/** A part of a line, plain or with a style. */
export type Span = string | { readonly text: string; readonly style: Style };

/** One line on a screen. */
export type Line = readonly Span[];

const codes: Readonly<Record<Style, string>> = {
  good: '32',
  bad: '31',
  attention: '1;33',
  active: '36',
  quiet: '2',
  strong: '1',
};

/** Formats a line. Foreign text is made visible first, so that only styles become control characters. */
export function renderLine(line: Line, hasColours: boolean): string {
  return line
    .map((span) => {
      const text = visibleText(textOf(span)).replace(/[\n\t]/g, ' ');
      return typeof span === 'string' || !hasColours || text === ''
        ? text
        : `\u001B[${codes[span.style]}m${text}\u001B[0m`;
    })
    .join('')
    .replace(/ +$/, '');
}

/** Returns a line as plain text. */
export function plainLine(line: Line): string {
  return line.map(textOf).join('');
}

/** Cuts a line to this many columns. */
export function cutLine(line: Line, columns: number): Line {
  let left = columns;
  const kept: Span[] = [];
  for (const [index, span] of line.entries()) {
    const text = textOf(span);
    const width = displayWidth(text);
    const rest = line.slice(index + 1).some((other) => textOf(other) !== '');
    if (width < left || (width === left && !rest)) {
      kept.push(span);
      left -= width;
      continue;
    }
    const cut = width === left ? cutToWidth(`${text}…`, left) : cutToWidth(text, left);
    return [...kept, typeof span === 'string' ? cut : { ...span, text: cut }];
  }
  return kept;
}

function textOf(span: Span): string {
  return typeof span === 'string' ? span : span.text;
}

/** What decides about colours. */
export interface ColourWishes {
  readonly isTerminal: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether `--no-color` was passed. */
  readonly isForbidden: boolean;
}

/** Decides about colours: never with `--no-color` or `NO_COLOR`, always with `FORCE_COLOR`, and else on a terminal. */
export function usesColours({ isTerminal, env, isForbidden }: ColourWishes): boolean {
  if (isForbidden || (env['NO_COLOR'] ?? '') !== '') return false;
  const force = env['FORCE_COLOR'];
  if (force !== undefined) return force !== '0' && force !== 'false';
  return isTerminal && env['TERM'] !== 'dumb';
}
