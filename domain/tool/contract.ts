import { z } from 'zod';
import { activityContract, type InputOf, type ResultOf } from '../kernel';
import { blobRefSchema, storeLocationSchema } from '../store';
import { pinnedToolsSchema } from './description';

export const changeToolsActivity = activityContract('changeTools', {
  description: 'Grants or revokes tools. No agent gets a tool that the root agent of its run does not have.',
  input: storeLocationSchema.extend({
    /** The agent's current tool list. */
    toolList: blobRefSchema,
    grant: z.array(z.string()).readonly(),
    revoke: z.array(z.string()).readonly(),
  }),
  result: z.object({
    toolList: blobRefSchema,
    tools: pinnedToolsSchema,
    /** Names of tools that can't be granted, because the root agent of the run does not have them. */
    refused: z.array(z.string()).readonly(),
    /** Descriptions of the granted tools for the model, in the format of a prompt. */
    entry: z.string(),
  }),
});
export type ChangeToolsInput = InputOf<typeof changeToolsActivity>;
export type ChangedTools = ResultOf<typeof changeToolsActivity>;
