import { SetupError } from '../server/errors';

/** An environment variable or a configuration file says something that can't be. */
export class InvalidSettingError extends SetupError {
  constructor(
    readonly setting: string,
    reason: string,
    remedy: string,
  ) {
    super(`${setting}: ${reason}`, remedy);
  }
}

/** There is no server to talk to, or it doesn't let us in. */
export class ConnectionFailedError extends SetupError {}
