import type { Json } from '../kernel/json-value';

/** One segment of a path into a value: a field name, a zero-based list index, or `*` for every entry of a list. */
export type Segment = string | number;

const every = '*';
const segment = /^(?:\.([A-Za-z_][A-Za-z0-9_-]{0,63})|\[(\d{1,6}|\*)\])/;

/** Parses a path such as `.step[*].id`; undefined when the text is not a path. Paths never contain code. */
export function parseSegments(text: string): readonly Segment[] | undefined {
  const segments: Segment[] = [];
  for (let rest = text; rest !== '';) {
    const [whole = '', name, place] = segment.exec(rest) ?? [];
    if (whole === '') return undefined;
    segments.push(name ?? (place === every ? every : Number(place)));
    rest = rest.slice(whole.length);
  }
  return segments;
}

/** Formats a path. The inverse of `parseSegments`. */
export function formatSegments(segments: readonly Segment[]): string {
  return segments.map((key) => (typeof key === 'number' || key === every ? `[${key}]` : `.${key}`)).join('');
}

/** Whether the path selects a list, because it contains `[*]`. */
export function selectsList(segments: readonly Segment[]): boolean {
  return segments.includes(every);
}

/** Returns all values that the path selects, in order. List entries without the rest of the path are skipped. */
export function valuesAtPath(value: Json, segments: readonly Segment[]): readonly Json[] {
  const [first, ...rest] = segments;
  if (first === undefined) return [value];
  if (Array.isArray(value)) {
    const list = value as readonly Json[];
    const selected = first === every ? list : typeof first === 'number' ? list.slice(first, first + 1) : [];
    return selected.flatMap((entry) => valuesAtPath(entry, rest));
  }
  const isObject = typeof value === 'object' && value !== null;
  if (!isObject || typeof first === 'number' || first === every || !Object.hasOwn(value, first)) return [];
  return valuesAtPath((value as Readonly<Record<string, Json>>)[first] ?? null, rest);
}
