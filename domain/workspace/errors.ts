import { DomainError } from '../kernel/errors';

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
