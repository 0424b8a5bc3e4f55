/** Levels of objects that are shown open, and lines of a text or list. */
export const openLevels = 2;
export const openLines = 20;

/** A value of JSON, as it is drawn. */
export type FieldValue =
  | { readonly kind: 'text'; readonly text: string }
  /** Numbers, booleans and null, as JSON writes them. */
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'group'; readonly isList: boolean; readonly fields: readonly Field[]; readonly summary: string };

export interface Field {
  readonly key: string;
  readonly value: FieldValue;
}

/** Reads JSON. Returns undefined if the text is not a JSON object or list: it is then shown as it is. */
export function jsonFields(json: string): FieldValue | undefined {
  const start = json.trimStart()[0];
  if (start !== '{' && start !== '[') return undefined;
  try {
    return fieldValue(JSON.parse(json));
  } catch {
    return undefined;
  }
}

function fieldValue(value: unknown): FieldValue {
  if (typeof value === 'string') return { kind: 'text', text: value };
  if (typeof value !== 'object' || value === null) return { kind: 'literal', text: String(value) };
  const isList = Array.isArray(value);
  const fields = Object.entries(value).map(([key, each]) => ({
    key: isList ? String(Number(key) + 1) : key,
    value: fieldValue(each),
  }));
  return { kind: 'group', isList, fields, summary: summarise(fields, isList) };
}

function summarise(fields: readonly Field[], isList: boolean): string {
  if (fields.length === 0) return isList ? 'empty list' : 'no fields';
  if (isList) return `${fields.length} ${fields.length === 1 ? 'item' : 'items'}`;
  const names = fields.slice(0, 3).map(({ key }) => key);
  return `${names.join(', ')}${fields.length > 3 ? `, ${fields.length - 3} more` : ''}`;
}

/** The first lines of a text, and how many there are after them. */
export function firstLines(text: string, count = openLines): { readonly head: string; readonly more: number } {
  const lines = text.split('\n');
  // One line less than a button takes is not worth folding.
  if (lines.length <= count + 1) return { head: text, more: 0 };
  return { head: lines.slice(0, count).join('\n'), more: lines.length - count };
}
