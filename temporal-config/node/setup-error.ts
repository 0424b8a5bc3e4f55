import { SetupError } from './errors';

/** An environment variable or a configuration file has an invalid value. */
export class InvalidSettingError extends SetupError {
  constructor(
    readonly setting: string,
    reason: string,
    remedy: string,
  ) {
    super(`${setting}: ${reason}`, remedy);
  }
}

/** No server is available, or it refused the connection. */
export class ConnectionFailedError extends SetupError {}
