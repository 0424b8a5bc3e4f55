import { z } from 'zod';
import { activityContract, type InputOf, type ResultOf } from '../kernel';
import { blobRefSchema, storeLocationSchema } from '../store';
import { argumentRulesSchema, checkedCallSchema, pinnedAccessSchema } from './access';
import { toolCallSchema } from './call';
import { pinnedToolsSchema } from './description';

export const changeToolsActivity = activityContract('changeTools', {
  description: 'Grants or revokes tools. No agent gets a tool that the root agent of its run does not have.',
  input: storeLocationSchema.extend({
    /** The agent's current tool list. */
    toolList: blobRefSchema,
    grant: z.array(z.string()).readonly(),
    revoke: z.array(z.string()).readonly(),
    /** Restricted tools of the agent. A granted tool is restricted too. */
    access: pinnedAccessSchema.exactOptional(),
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

export const checkCallActivity = activityContract('checkCall', {
  description:
    "Checks the arguments of a tool call whose input is too long for history. Called only if the tool's arguments are restricted.",
  input: storeLocationSchema.extend({
    call: toolCallSchema,
    /** The rules of each restriction. */
    rules: z.array(argumentRulesSchema).readonly(),
  }),
  result: checkedCallSchema,
});
export type CheckCallInput = InputOf<typeof checkCallActivity>;
