import type { Json } from '../json-value';

/** A step down into a value: the name of a field, the place in a list (from 0), or `*` for every entry of a list. */
export type Segment = string | number;

const every = '*';
const segment = /^(?:\.([A-Za-z_][A-Za-z0-9_-]{0,63})|\[(\d{1,6}|\*)\])/;

/** Reads `.step[*].id`; undefined when it is no path. Nothing in a path is ever evaluated. */
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

export function showSegments(segments: readonly Segment[]): string {
  return segments.map((one) => (typeof one === 'number' || one === every ? `[${one}]` : `.${one}`)).join('');
}

/** Whether the path stands for a list, because `[*]` is in it. */
export function isPlural(segments: readonly Segment[]): boolean {
  return segments.includes(every);
}

/** Every place of the value that the path leads to, in order; entries that lack it are passed over. */
export function matches(value: Json, segments: readonly Segment[]): readonly Json[] {
  const [first, ...rest] = segments;
  if (first === undefined) return [value];
  if (Array.isArray(value)) {
    const list = value as readonly Json[];
    const wanted = first === every ? list : typeof first === 'number' ? list.slice(first, first + 1) : [];
    return wanted.flatMap((entry) => matches(entry, rest));
  }
  const isObject = typeof value === 'object' && value !== null;
  if (!isObject || typeof first === 'number' || first === every || !Object.hasOwn(value, first)) return [];
  return matches((value as Readonly<Record<string, Json>>)[first] ?? null, rest);
}
