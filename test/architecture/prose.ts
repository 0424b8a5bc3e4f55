import * as ts from 'typescript';
import type { Source } from './sources';

/** A comment, or a string literal with at least two words. */
export interface Prose {
  readonly kind: 'comment' | 'string';
  readonly line: number;
  /** Without comment markers, on one line. Interpolated values are shown as `…`. */
  readonly text: string;
}

/** Returns all comments and string literals of a source, in no particular order. */
export function proseIn({ path, text }: Source): Prose[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const lineOf = (position: number): number => file.getLineAndCharacterOfPosition(position).line + 1;
  const literals = literalsIn(file);
  const strings = literals
    .filter((literal) => !ts.isRegularExpressionLiteral(literal))
    .map((literal) => prose('string', lineOf(literal.getStart()), textOf(literal)));
  const comments = commentsIn(text, literals).map(({ at, text }) => prose('comment', lineOf(at), text));
  return [...comments, ...strings.filter((string) => string.text.includes(' '))];
}

type Literal = ts.StringLiteralLike | ts.TemplateExpression | ts.RegularExpressionLiteral;

function literalsIn(file: ts.SourceFile): Literal[] {
  const found: Literal[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node) || ts.isRegularExpressionLiteral(node)) {
      found.push(node);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function textOf(literal: Literal): string {
  if (!ts.isTemplateExpression(literal)) return literal.text;
  return [literal.head.text, ...literal.templateSpans.map((span) => `…${span.literal.text}`)].join('');
}

/** Lines of `//` that follow each other are one comment, as are all lines of a block. */
const commentPattern = /\/\*[^]*?\*\/|\/\/.*(?:\n[ \t]*\/\/.*)*/g;

function commentsIn(text: string, literals: readonly Literal[]): { readonly at: number; readonly text: string }[] {
  // Literals are blanked out first, because they may contain what looks like a comment.
  const blanked = text.split('');
  for (const [start, end] of literals.flatMap(rangesOf)) blanked.fill('_', start, end);
  return [...blanked.join('').matchAll(commentPattern)].map((match) => ({
    at: match.index,
    text: match[0].replace(/^[ \t]*(?:\/\*\*?|\*\/|\*|\/\/)|\*\/$/gm, ' '),
  }));
}

function rangesOf(literal: Literal): [number, number][] {
  const parts = ts.isTemplateExpression(literal)
    ? [literal.head, ...literal.templateSpans.map((span) => span.literal)]
    : [literal];
  return parts.map((part) => [part.getStart(), part.getEnd()]);
}

function prose(kind: Prose['kind'], line: number, text: string): Prose {
  return { kind, line, text: text.replace(/\s+/g, ' ').trim() };
}
