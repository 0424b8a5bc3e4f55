import { z } from 'zod';
import { allowanceSchema } from '../budget';
import { activityContract, type InputOf } from '../kernel';
import { callRefusedSchema, modelReplySchema, priceSchema } from '../model';
import { slicesPayloadSchema } from '../session';
import { blobRefSchema, storeLocationSchema } from '../store';
import { toolCallSchema, toolOutcomeSchema, toolResultSchema } from '../tool';
import { workspaceFilesSchema } from '../workspace';
import { operatorChangesSchema } from './progress';

/** Identifies one model call permanently. A reply that was paid for is found in the journal under this identity. */
const callIdentitySchema = z.object({
  /** First execution id of the workflow's chain. Crashes, retries and resets don't change it. */
  execution: z.string(),
  /** Zero-based index of the call. */
  call: z.int().nonnegative(),
  /** Increased when an operator has the call repeated, so that the journal does not return the earlier reply. */
  try: z.int().nonnegative(),
});

/** Limits that a call might exceed by an upper bound of its size. Its tokens are counted before the call is made. */
const callLimitsSchema = z.object({
  /** Upper bound of the request's tokens, used when the provider can't count them. */
  estimate: z.number(),
  /** Maximum tokens of the request. */
  window: z.number().exactOptional(),
  /** Remaining budget. */
  budget: allowanceSchema.exactOptional(),
  price: priceSchema.exactOptional(),
});
export type CallLimits = Readonly<z.infer<typeof callLimitsSchema>>;

/** A model that failed in this turn before, and that the model of this call replaces. */
const replacedModelSchema = z.object({
  model: z.string(),
  /** Failure type. */
  type: z.string(),
  message: z.string(),
});
export type ReplacedModel = Readonly<z.infer<typeof replacedModelSchema>>;

export const callModelActivity = activityContract('callModel', {
  description: 'Calls the model, and appends the new messages and the reply to the transcript. Each call is made once.',
  /** The conversation so far, and everything that is new in this call. */
  input: storeLocationSchema.extend({
    /** End of the transcript so far. */
    head: blobRefSchema,
    outcomes: z.array(toolOutcomeSchema).readonly(),
    /** Texts from the engine to the model, such as a violation of the output format. */
    notes: z.array(z.string()).readonly(),
    identity: callIdentitySchema,
    /** Steering messages from operators. */
    steering: z.array(z.string()).readonly().exactOptional(),
    /** Changes that an operator made to the agent since the last call. */
    changes: operatorChangesSchema.exactOptional(),
    /** Models that failed in this turn, in order; omitted when there are none. */
    insteadOf: z.array(replacedModelSchema).readonly().exactOptional(),
    /** Limits to check before the call; omitted when the call can't exceed any. */
    admission: callLimitsSchema.exactOptional(),
    /** Set for the handoff call, in which the model must not use tools. */
    closing: z.literal(true).exactOptional(),
  }),
  result: z.union([modelReplySchema, callRefusedSchema]),
});
export type CallModelInput = InputOf<typeof callModelActivity>;

export const executeToolActivity = activityContract('executeTool', {
  description: 'Runs one tool. Fails only if the infrastructure does; a failure of the tool itself is an outcome.',
  input: storeLocationSchema.extend({
    call: toolCallSchema,
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
  }),
  result: toolResultSchema,
});
export type ExecuteToolInput = InputOf<typeof executeToolActivity>;
