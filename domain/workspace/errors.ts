import { DomainError } from '../errors';

/** A path that nobody may use, whatever stands in the workspace; the reason is fit for a model to read. */
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

/** Two things want the same name: a file cannot be a folder as well. */
export class PathClashError extends DomainError {
  readonly type = 'Input.Invalid';

  constructor(readonly path: string) {
    super(`"${path}" would have to be a file and a folder at once`, { path });
  }
}

/** What was asked for is not there, or is not of the kind that was asked for. */
export class NotInWorkspaceError extends DomainError {
  readonly type = 'Input.Invalid';

  constructor(
    readonly path: string,
    readonly reason: string,
  ) {
    super(`"${path}" ${reason}`, { path, reason });
  }
}
