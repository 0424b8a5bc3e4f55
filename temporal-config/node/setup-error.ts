import type { z } from 'zod';

/** A problem in Baton's environment. The remedy says what the user can do about it. */
export class SetupError extends Error {
  constructor(
    message: string,
    readonly remedy: string,
  ) {
    super(message);
    this.name = new.target.name;
  }
}

/** A dev server could not be found, created, started or stopped. */
export class ServerSetupError extends SetupError {}

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

/** Environment variables as a value, so that only entry points read those of the process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads a variable. An empty one counts as unset, because that is how shells and compose files unset a variable. */
export function readVariable(env: Environment, name: string): string | undefined {
  const value = env[name];
  return value === '' ? undefined : value;
}

/** Reads and checks one variable; undefined if it is unset. */
export type ReadSetting = <T>(
  setting: string,
  rule: { readonly allowed: string; readonly schema: z.ZodType<T> },
) => T | undefined;

/** Writes a line for users, to standard error or a log. */
export type Log = (line: string) => void;
