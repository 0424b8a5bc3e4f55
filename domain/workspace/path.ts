import { DomainError, utf8 } from '../kernel';

/** Maximum bytes of one name in a path, in UTF-8. */
const maxNameBytes = 255;
/** Maximum bytes of a whole path, in UTF-8. */
export const maxPathBytes = 4_096;

const control = /\p{Cc}/u;
const loneSurrogate = /\p{Surrogate}/u;
// Some file systems ignore invisible characters when they compare names, so that ".g<U+200C>it" would be ".git" there.
const invisible = /[\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/u;

/** Returns why a text cannot be the name of a file or folder in a workspace; undefined when it can. */
export function nameProblem(name: string): string | undefined {
  if (name === '') return 'it has an empty segment';
  if (name === '.' || name === '..') return `"${name}" is not allowed in it`;
  if (name.includes('/')) return 'a name cannot contain /';
  if (name.includes('\\')) return 'use / as the separator, not \\';
  if (name.includes('\0')) return 'it contains a NUL character';
  if (control.test(name)) return 'it contains a control character';
  if (loneSurrogate.test(name)) return 'it is not valid Unicode';
  if (invisible.test(name)) return 'it contains an invisible character';
  if (utf8(name).length > maxNameBytes) return `a segment is longer than ${maxNameBytes} bytes`;
  return undefined;
}

/**
 * Returns the only valid spelling of a file's path: relative, with / between folders. Drops a leading "./". Throws an
 * `InvalidPathError` for every other irregular path instead of repairing it, because a repaired path may name a
 * different file from the intended one.
 */
export function parsePath(text: string): string {
  const path = text.startsWith('./') ? text.slice(2) : text;
  const problem = problemOfPath(path);
  if (problem !== undefined) throw new InvalidPathError(text, problem);
  return path;
}

/** Returns whether a text is a path that `parsePath` would return unchanged. */
export function isPath(text: string): boolean {
  return problemOfPath(text) === undefined;
}

/** Like `parsePath`, for a folder. The path may end in a slash. Returns "" for the workspace root (".", "./" or ""). */
export function parseFolderPath(text: string): string {
  if (text === '' || text === '.' || text === './') return '';
  return parsePath(text.endsWith('/') && text !== '/' ? text.slice(0, -1) : text);
}

function problemOfPath(path: string): string | undefined {
  if (path === '') return 'it is empty';
  if (path.startsWith('/') || /^[a-zA-Z]:(\/|\\|$)/.test(path)) return 'it must be relative to the workspace';
  if (utf8(path).length > maxPathBytes) return `it is longer than ${maxPathBytes} bytes`;
  for (const name of path.split('/')) {
    const problem = nameProblem(name);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Appends a name to a folder path; "" is the workspace root. */
export function joinPath(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

/** Returns all folders that contain a path, outermost first, without the workspace root. */
export function foldersAbove(path: string): string[] {
  const names = path.split('/');
  return names.slice(1).map((_, index) => names.slice(0, index + 1).join('/'));
}

/** Compares names by UTF-16 code unit, which gives the same order on every machine. */
export function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** A path that is invalid in every workspace. The reason is phrased for a model. */
export class InvalidPathError extends DomainError {
  readonly type = 'Input.Invalid';

  constructor(
    readonly path: string,
    readonly reason: string,
  ) {
    super(`The path ${JSON.stringify(path.slice(0, 200))} is not allowed: ${reason}`, {
      path: path.slice(0, 200),
      reason,
    });
  }
}

/** A path is used for a file as well as for a folder. */
export class PathClashError extends DomainError {
  readonly type = 'Input.Invalid';

  constructor(readonly path: string) {
    super(`"${path}" cannot be both a file and a folder`, { path });
  }
}

/** The path does not exist in the workspace, or is not the required kind of entry. */
export class NotInWorkspaceError extends DomainError {
  readonly type = 'Input.Invalid';

  constructor(
    readonly path: string,
    readonly reason: string,
  ) {
    super(`"${path}" ${reason}`, { path, reason });
  }
}
