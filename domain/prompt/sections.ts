import { z } from 'zod';

/** Path of a section: the keys from the outermost section to it. It does not change when the prompt is embedded. */
export const sectionPathSchema = z.array(z.string().min(1)).min(1);
export type SectionPath = readonly string[];

/** A section and its UTF-8 byte range, from its heading to the heading of the next section. */
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

/** Formats a section path with slashes. */
export function formatSectionPath(path: SectionPath): string {
  return path.join('/');
}

/** Returns a string that identifies a path. Unlike with `formatSectionPath`, it is unique even if a key contains a slash. */
export function pathKey(path: SectionPath): string {
  return JSON.stringify(path);
}

/** Moves the byte ranges of sections by an offset. */
export function shiftSections(sections: readonly SectionRange[], by: number): SectionRange[] {
  return sections.map(({ path, start, end }) => ({ path, start: start + by, end: end + by }));
}
