/** Environment variables as a value, so that nothing below the edge reads the process's own. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** An empty variable counts as unset: that is how a shell or a compose file takes one back. */
export function variable(env: Environment, name: string): string | undefined {
  const value = env[name];
  return value === '' ? undefined : value;
}

/** A line for a person, on standard error or in a log. */
export type Log = (line: string) => void;
