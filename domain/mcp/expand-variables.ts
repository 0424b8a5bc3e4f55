/** Values of variables by name. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** A value in which variables were replaced, or the names of those that have no value. */
export type Expanded = { readonly value: unknown } | { readonly missing: readonly string[] };

// A default contains no other reference. So a text full of beginnings, of which none ends, is read only once.
const reference = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-((?:[^}$]|\$(?!\{))*))?\}/g;

/** Levels in which variables are replaced. An entry has two of them; what is further down is ignored anyway. */
const maxDepth = 20;

/** Replaces `${NAME}` and `${NAME:-default}` in every text of a JSON value. An empty variable takes the default. */
export function expandVariables(value: unknown, variables: Variables): Expanded {
  const missing = new Set<string>();
  const replace = (text: string): string =>
    text.replace(reference, (_, name: string, fallback: string | undefined) => {
      const given = Object.hasOwn(variables, name) ? variables[name] : undefined;
      if (given !== undefined && (given !== '' || fallback === undefined)) return given;
      if (fallback === undefined) missing.add(name);
      return fallback ?? '';
    });
  const expanded = replaceIn(value, replace, maxDepth);
  return missing.size === 0 ? { value: expanded } : { missing: [...missing] };
}

function replaceIn(value: unknown, replace: (text: string) => string, depth: number): unknown {
  if (typeof value === 'string') return replace(value);
  if (typeof value !== 'object' || value === null || depth === 0) return value;
  if (Array.isArray(value)) return value.map((item) => replaceIn(item, replace, depth - 1));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replaceIn(item, replace, depth - 1)]));
}
