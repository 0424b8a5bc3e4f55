import { z } from 'zod';
import { parsePath } from '../../../domain/workspace/path';
import { mediaTypes } from '../../../domain/store/blob-ref';

/** Schema of artifact names. Artifacts can be exported as files, so their names follow the rules for paths. */
export const artifactNameSchema = z
  .string()
  .min(1)
  .max(200)
  .refine(isPlainPath, 'must be a plain file name such as report.md, or a relative path with /');

function isPlainPath(name: string): boolean {
  try {
    return parsePath(name) === name;
  } catch {
    return false;
  }
}

/** Derives the media type of an artifact from its name. */
export function mediaTypeOf(name: string): string {
  if (/\.(md|markdown)$/i.test(name)) return mediaTypes.markdown;
  return /\.json$/i.test(name) ? mediaTypes.json : mediaTypes.text;
}
