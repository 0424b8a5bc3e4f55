/** Environment variables as a value, so that only entry points read those of the process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads a variable. An empty one counts as unset, because that is how shells and compose files unset a variable. */
export function readVariable(env: Environment, name: string): string | undefined {
  const value = env[name];
  return value === '' ? undefined : value;
}

/** Writes a line for users, to standard error or a log. */
export type Log = (line: string) => void;
