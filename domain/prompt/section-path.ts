import { z } from 'zod';

/** Where a section stands in a prompt: the keys from the outermost section to it. Stays the same however deep the prompt is embedded. */
export const sectionPathSchema = z.array(z.string().min(1)).min(1);
export type SectionPath = readonly string[];

/** A section and the UTF-8 bytes it takes up, from its heading to the heading of the next one. */
export const sectionRangeSchema = z.strictObject({
  path: sectionPathSchema,
  start: z.int().nonnegative(),
  end: z.int().nonnegative(),
});
export interface SectionRange {
  readonly path: SectionPath;
  readonly start: number;
  readonly end: number;
}

export function showPath(path: SectionPath): string {
  return path.join('/');
}

/** Two paths are the same exactly when their keys are: unlike `showPath`, a slash inside a key makes no difference. */
export function pathKey(path: SectionPath): string {
  return JSON.stringify(path);
}

export function shifted(sections: readonly SectionRange[], by: number): SectionRange[] {
  return sections.map(({ path, start, end }) => ({ path, start: start + by, end: end + by }));
}
