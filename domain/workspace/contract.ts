import { z } from 'zod';
import { activityContract, type InputOf } from '../kernel';
import { blobRefSchema, storeLocationSchema } from '../store';
import { workspaceFilesSchema } from './changes';

export const mountWorkspaceActivity = activityContract('mountWorkspace', {
  description: 'Imports a folder as a tree of hashes.',
  input: storeLocationSchema.extend({
    /** A path on the worker's machine. */
    folder: z.string(),
  }),
  result: blobRefSchema,
});
export type MountWorkspaceInput = InputOf<typeof mountWorkspaceActivity>;

/** How far an import is. The heartbeats of `mountWorkspace` contain it. */
export const mountProgressSchema = z.object({
  /** Whether all files are known. Until then `ofFiles` and `ofBytes` grow. */
  isListed: z.boolean(),
  /** Imported files, and their bytes. */
  files: z.int().nonnegative(),
  bytes: z.int().nonnegative(),
  /** Files to import, and their bytes. */
  ofFiles: z.int().nonnegative(),
  ofBytes: z.int().nonnegative(),
});
export type MountProgress = Readonly<z.infer<typeof mountProgressSchema>>;

export const foldWorkspaceActivity = activityContract('foldWorkspace', {
  description: 'Creates a new tree from an existing one and a list of changes.',
  input: storeLocationSchema.extend(workspaceFilesSchema.shape),
  result: blobRefSchema,
});
export type FoldWorkspaceInput = InputOf<typeof foldWorkspaceActivity>;
