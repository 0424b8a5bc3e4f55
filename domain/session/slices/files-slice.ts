import { z } from 'zod';
import { blobRefSchema } from '../../store';
import { defineSlice, eventHandler, upsertBy } from '../slice';

const hashSchema = blobRefSchema.shape.hash.nullable();
const pathSchema = z.string().min(1).max(1_024);
const shownFiles = 10;

/** A file that differs from the imported folder. The hash is null when the file was deleted. */
export const fileRecordSchema = z.strictObject({
  path: pathSchema,
  hash: hashSchema,
  bytes: z.int().nonnegative(),
  mediaType: z.string().min(1).max(100).optional(),
  /** Whether the file may be executed; omitted when no change said so. */
  executable: z.boolean().optional(),
});
export type FileRecord = Readonly<z.infer<typeof fileRecordSchema>>;

/** Value of the event `fileChanged`. A null `expectedHash` means a new file, a null `newHash` a deletion. */
const fileChangedSchema = z.strictObject({
  path: pathSchema,
  expectedHash: hashSchema,
  newHash: hashSchema,
  bytes: z.int().nonnegative(),
  mediaType: z.string().min(1).max(100).optional(),
  executable: z.boolean().optional(),
});

const upsertFile = upsertBy('path');

/**
 * The changed files of the workspace. A file has no record until its first change; until then its content is that of
 * the imported folder, which never changes during a run. So the first change of a path is always accepted, and each
 * later change must expect the one before it.
 */
export const filesSlice = defineSlice({
  name: 'files',
  record: fileRecordSchema,
  conflict: 'compareAndSet',
  compare: { key: ({ path }) => path, token: ({ hash }) => hash, absent: 'acceptAny' },
  on: {
    fileChanged: eventHandler(
      fileChangedSchema,
      (files: readonly FileRecord[], { path, newHash, bytes, mediaType, executable }) =>
        upsertFile<FileRecord>(files, {
          path,
          hash: newHash,
          bytes,
          ...(mediaType === undefined ? {} : { mediaType }),
          ...(newHash === null ? {} : executability(files, path, executable)),
        }),
      ({ path, expectedHash }) => ({ key: path, token: expectedHash }),
    ),
  },
  summarize: (files) => [
    `Changed files: ${files.length}${files.length > shownFiles ? `, the last ${shownFiles} of them:` : ''}`,
    ...files
      .slice(-shownFiles)
      .map(({ path, hash, bytes }) => `- ${path} (${hash === null ? 'deleted' : `${bytes} B`})`),
  ],
});

/** A change that says nothing about it leaves a file executable or not, as an earlier one made it. */
function executability(
  files: readonly FileRecord[],
  path: string,
  executable: boolean | undefined,
): { executable?: boolean } {
  const known = executable ?? files.find((file) => file.path === path && file.hash !== null)?.executable;
  return known === undefined ? {} : { executable: known };
}

const shownArtifacts = 10;

/** A named text that an agent wrote for other agents or people. Its content is in the store. */
const artifactSchema = z.strictObject({
  // Long enough for the path of a file with the id of a delegation before it.
  name: z.string().min(1).max(1_100),
  ref: blobRefSchema,
  /** The agent that wrote it. */
  by: z.string().min(1).max(200),
  /**
   * Set for a file that a delegation changed in its own copy of the workspace. Its parent can read it, but it does not
   * replace the file of the same path in the context of skills.
   */
  kind: z.literal('file').optional(),
});

/** The artifacts of the run, by name. */
export const artifactsSlice = defineSlice({
  name: 'artifacts',
  record: artifactSchema,
  conflict: 'lastWrite',
  on: { artifactWritten: upsertBy('name') },
  summarize: (artifacts) => [
    `Artifacts: ${artifacts.length}${artifacts.length > shownArtifacts ? `, the last ${shownArtifacts} of them:` : ''}`,
    ...artifacts
      .slice(-shownArtifacts)
      .map(({ name, ref, by }) => `- ${name} (${ref.mediaType}, ${ref.bytes} B, by ${by})`),
  ],
});
