/** Values of variables by name. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** A value in which variables were replaced, or the names of those that have no value. */
export type Expanded = { readonly value: unknown } | { readonly missing: readonly string[] };

const reference = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

/** Replaces `${NAME}` and `${NAME:-default}` in every text of a JSON value. An empty variable takes the default. */
export function expandVariables(value: unknown, variables: Variables): Expanded {
  const missing = new Set<string>();
  const expanded = replaceIn(value, (text) =>
    text.replace(reference, (_, name: string, fallback: string | undefined) => {
      const given = Object.hasOwn(variables, name) ? variables[name] : undefined;
      if (given !== undefined && (given !== '' || fallback === undefined)) return given;
      if (fallback === undefined) missing.add(name);
      return fallback ?? '';
    }),
  );
  return missing.size === 0 ? { value: expanded } : { missing: [...missing] };
}

function replaceIn(value: unknown, replace: (text: string) => string): unknown {
  if (typeof value === 'string') return replace(value);
  if (Array.isArray(value)) return value.map((item) => replaceIn(item, replace));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replaceIn(item, replace)]));
}
