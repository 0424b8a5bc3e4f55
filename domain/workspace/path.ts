import { utf8 } from '../hash';
import { InvalidPathError } from './errors';

export const maxNameBytes = 255;
export const maxPathBytes = 4_096;

const control = /\p{Cc}/u;
const loneSurrogate = /\p{Surrogate}/u;
// Invisible, and left out by some file systems when they compare names: ".g<U+200C>it" would be ".git" there.
const invisible = /[\u200b-\u200f\u2028-\u202e\u2060-\u2064\u206a-\u206f\ufeff]/u;

/** Why this cannot be the name of a file or folder in a workspace; undefined when it can. */
export function problemOfName(name: string): string | undefined {
  if (name === '') return 'it has an empty part';
  if (name === '.' || name === '..') return `"${name}" is not allowed in it`;
  if (name.includes('/')) return 'a name has no /';
  if (name.includes('\\')) return 'folders are separated by /, not by a backslash';
  if (name.includes('\0')) return 'it has a NUL character';
  if (control.test(name)) return 'it has a control character';
  if (loneSurrogate.test(name)) return 'it is not valid Unicode';
  if (invisible.test(name)) return 'it has an invisible character';
  if (utf8(name).length > maxNameBytes) return `a part of it is longer than ${maxNameBytes} bytes`;
  return undefined;
}

/**
 * The one spelling of a file's path that somebody named: relative, with / between folders. A leading "./" is dropped; all
 * else that is not plain is refused, never repaired: a repaired path may mean another file than the one that was meant.
 */
export function parsePath(text: string): string {
  const path = text.startsWith('./') ? text.slice(2) : text;
  const problem = problemOfPath(path);
  if (problem !== undefined) throw new InvalidPathError(text, problem);
  return path;
}

/** Whether the text is the one spelling of a path already. */
export function isPath(text: string): boolean {
  return problemOfPath(text) === undefined;
}

/** Like `parsePath`, for a folder: may end in a slash, and the workspace itself is ".". Gives "" for that. */
export function parseFolderPath(text: string): string {
  if (text === '' || text === '.' || text === './') return '';
  return parsePath(text.endsWith('/') && text !== '/' ? text.slice(0, -1) : text);
}

function problemOfPath(path: string): string | undefined {
  if (path === '') return 'it is empty';
  if (path.startsWith('/') || /^[a-zA-Z]:(\/|\\|$)/.test(path)) return 'it must be relative to the workspace';
  if (utf8(path).length > maxPathBytes) return `it is longer than ${maxPathBytes} bytes`;
  for (const name of path.split('/')) {
    const problem = problemOfName(name);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

export function joinPath(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

/** Every folder that a path stands in, outermost first, without the workspace itself. */
export function foldersAbove(path: string): string[] {
  const names = path.split('/');
  return names.slice(1).map((_, index) => names.slice(0, index + 1).join('/'));
}

/** The order of names everywhere: by code unit, the same on every machine. */
export function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
