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

export const foldWorkspaceActivity = activityContract('foldWorkspace', {
  description: 'Creates a new tree from an existing one and a list of changes.',
  input: storeLocationSchema.extend(workspaceFilesSchema.shape),
  result: blobRefSchema,
});
export type FoldWorkspaceInput = InputOf<typeof foldWorkspaceActivity>;
