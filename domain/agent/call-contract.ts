import { z } from 'zod';
import { allowanceSchema } from '../budget';
import { commandGrantSchema } from '../command';
import { activityContract, type InputOf } from '../kernel';
import { priceSchema } from '../model';
import { slicesPayloadSchema } from '../session';
import { blobRefSchema, storeLocationSchema } from '../store';
import { toolCallSchema, toolResultSchema } from '../tool';
import { workspaceFilesSchema } from '../workspace';

/** Identifies one model call permanently. A reply that was paid for is found in the journal under this identity. */
export const callIdentitySchema = z.object({
  /** First execution id of the workflow's chain. Crashes, retries and resets don't change it. */
  execution: z.string(),
  /** Zero-based index of the call. */
  call: z.int().nonnegative(),
  /** Increased when an operator has the call repeated, so that the journal does not return the earlier reply. */
  try: z.int().nonnegative(),
});

/** Limits that a call might exceed by an upper bound of its size. Its tokens are counted before the call is made. */
export const callLimitsSchema = z.object({
  /** Upper bound of the request's tokens, used when the provider can't count them. */
  estimate: z.number(),
  /** Maximum tokens of the request. */
  window: z.number().exactOptional(),
  /** Remaining budget. */
  budget: allowanceSchema.exactOptional(),
  price: priceSchema.exactOptional(),
});
export type CallLimits = Readonly<z.infer<typeof callLimitsSchema>>;

/**
 * How many more turns an activity may take by itself after its first one. Within these limits nothing has to be decided between two
 * turns: no limit is near, and no notice is due.
 */
export const burstSchema = z.object({
  /** Maximum number of turns, the first one included. */
  turns: z.int().min(2),
  /** Tokens up to which the conversation may grow. */
  window: z.int().nonnegative(),
  /** What the turns may spend together; omitted when nothing is limited. */
  budget: allowanceSchema.exactOptional(),
  /** Price of the model; only if the cost is limited. */
  price: priceSchema.exactOptional(),
  /** Time by which the agent must finish, ISO 8601; omitted if it has no deadline. */
  deadline: z.iso.datetime().exactOptional(),
});
export type Burst = Readonly<z.infer<typeof burstSchema>>;

/** A model that failed in this turn before, and that the model of this call replaces. */
export const replacedModelSchema = z.object({
  model: z.string(),
  /** Failure type. */
  type: z.string(),
  message: z.string(),
});
export type ReplacedModel = Readonly<z.infer<typeof replacedModelSchema>>;

export const executeToolActivity = activityContract('executeTool', {
  description: 'Runs one tool. Fails only if the infrastructure does; a failure of the tool itself is an outcome.',
  input: storeLocationSchema.extend({
    call: toolCallSchema,
    /** Hash of the transcript that ends with the reply that requested the call. Omitted by earlier versions. */
    reply: z.string().exactOptional(),
    workspace: workspaceFilesSchema.nullable(),
    /** The slices that the tool declares to read, or a ref to the whole session when they are too large. */
    session: slicesPayloadSchema.exactOptional(),
    /** Workflow id of the calling agent. */
    agent: z.string(),
    /** Set for a tool that must not run twice. */
    once: z.literal(true).exactOptional(),
    /** Maximum bytes of the result. Default, and upper limit: `maxToolResultBytes`. */
    maxResultBytes: z.int().positive().exactOptional(),
    /** Paths that other agents changed since this agent last read them. Default: none. */
    unseen: z.array(z.string()).readonly().exactOptional(),
    /** The agent's tools; only for a tool of an MCP server, which is called as it was pinned. */
    toolList: blobRefSchema.exactOptional(),
    /** What the agent's commands may do. Only for `run_command`. */
    commands: commandGrantSchema.exactOptional(),
  }),
  result: toolResultSchema,
});
export type ExecuteToolInput = InputOf<typeof executeToolActivity>;
