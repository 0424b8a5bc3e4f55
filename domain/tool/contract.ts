import { z } from 'zod';
import { activityContract, type InputOf, type ResultOf } from '../kernel';
import { blobRefSchema, storeLocationSchema } from '../store';
import { argumentRulesSchema, checkedCallSchema, pinnedAccessSchema } from './access';
import { toolCallSchema } from './call';
import { pinnedToolsSchema } from './description';

/** Tools that an agent has and whose descriptions are not sent to its model. */
export const deferredToolsSchema = z.object({ list: blobRefSchema, count: z.int().positive() });
export type DeferredTools = Readonly<z.infer<typeof deferredToolsSchema>>;

export const changeToolsActivity = activityContract('changeTools', {
  description:
    'Grants or revokes tools, or brings in deferred ones. No agent gets a tool that the root agent of its run does not have.',
  input: storeLocationSchema.extend({
    /** The agent's current tool list. */
    toolList: blobRefSchema,
    grant: z.array(z.string()).readonly(),
    revoke: z.array(z.string()).readonly(),
    /** Restricted tools of the agent. A granted tool is restricted too. */
    access: pinnedAccessSchema.exactOptional(),
    /** The agent's deferred tools; omitted when there are none. */
    deferred: deferredToolsSchema.exactOptional(),
    /** Which of them to bring in; omitted for none. */
    find: z
      .object({
        query: z.string(),
        limit: z.int().positive(),
        /** Set if the query is the name of one tool. */
        exact: z.literal(true).exactOptional(),
      })
      .exactOptional(),
  }),
  result: z.object({
    toolList: blobRefSchema,
    tools: pinnedToolsSchema,
    /** Names of tools that can't be granted, because the root agent of the run does not have them. */
    refused: z.array(z.string()).readonly(),
    /** Descriptions of the granted tools for the model, in the format of a prompt. */
    entry: z.string(),
    /** The tools that are still deferred; omitted when there are none. */
    deferred: deferredToolsSchema.exactOptional(),
    /** Names of deferred tools that are in the list from now on; omitted when there are none. */
    found: z.array(z.string()).readonly().exactOptional(),
    /** The result of the search for the model; omitted when nothing was searched. */
    answer: z.string().exactOptional(),
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
