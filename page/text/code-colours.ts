import { parse, type ParseOptions, type TokenType } from 'sugar-high/core';
import * as css from 'sugar-high/lang/css';
import * as go from 'sugar-high/lang/go';
import * as javascript from 'sugar-high/lang/javascript';
import * as json from 'sugar-high/lang/json';
import * as python from 'sugar-high/lang/python';
import * as rust from 'sugar-high/lang/rust';
import * as shell from 'sugar-high/lang/shell';
import * as sql from 'sugar-high/lang/sql';
import * as typescript from 'sugar-high/lang/typescript';
import * as yaml from 'sugar-high/lang/yaml';
import { mayColour, readWithLimits } from './limits';

/** Characters of one colour; spaces and line breaks have none. */
export interface ColouredPart {
  readonly colour: TokenType | null;
  readonly text: string;
}

const notJavaScript = { jsx: false, regex: false, templateStrings: false };

const languages: Readonly<Record<string, ParseOptions>> = {
  // Its types do not take their own options.
  javascript: javascript as ParseOptions,
  typescript: typescript,
  json: { ...json, ...notJavaScript },
  python: { ...python, ...notJavaScript },
  shell: { ...shell, ...notJavaScript },
  yaml: { ...yaml, ...notJavaScript },
  go: { ...go, ...notJavaScript },
  rust: { ...rust, ...notJavaScript },
  sql: { ...sql, ...notJavaScript },
  css: { ...css, ...notJavaScript },
};

const aliases: Readonly<Record<string, string>> = {
  js: 'javascript',
  jsx: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  ts: 'typescript',
  tsx: 'typescript',
  mts: 'typescript',
  cts: 'typescript',
  jsonc: 'json',
  py: 'python',
  sh: 'shell',
  bash: 'shell',
  zsh: 'shell',
  console: 'shell',
  yml: 'yaml',
  golang: 'go',
  rs: 'rust',
  scss: 'css',
};

/** Name of a language as it is written behind a fence, or of a file's extension; undefined if it has no colours. */
export function knownLanguage(name: string): string | undefined {
  const lower = name.toLowerCase();
  const known = aliases[lower] ?? lower;
  return Object.hasOwn(languages, known) ? known : undefined;
}

/** Language of a file by its name; undefined if it has no colours. */
export function languageOfFile(path: string): string | undefined {
  return knownLanguage(/\.([a-z0-9]+)$/i.exec(path)?.[1] ?? '');
}

/** Splits code into parts by colour. Returns undefined if it gets none: it is too long, too slow or the language is unknown. */
export function colouredParts(code: string, language: string | undefined): readonly ColouredPart[] | undefined {
  const options = language === undefined ? undefined : languages[language];
  if (options === undefined || !mayColour(code)) return undefined;
  const parts = readWithLimits(`code ${language ?? ''}`, code, (text) => partsOf(text, options));
  // A parser that loses a character would show something that nobody wrote.
  return parts?.map(({ text }) => text).join('') === code ? parts : undefined;
}

function partsOf(code: string, options: ParseOptions): readonly ColouredPart[] {
  const parts: ColouredPart[] = [];
  parse(code, options).lines.forEach(({ tokens }, index) => {
    if (index > 0) parts.push({ colour: null, text: '\n' });
    for (const { type, value } of tokens) {
      if (type === 'break') continue;
      parts.push({ colour: type === 'space' || type === 'identifier' ? null : type, text: value });
    }
  });
  return parts;
}
