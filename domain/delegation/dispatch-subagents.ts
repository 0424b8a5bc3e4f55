import { z } from 'zod';
import { passedRefSchema } from '../agent';
import { blobRefSchema } from '../store';
import { dispatchSubagentsName, type ToolDescription } from '../tool';
import { refusalSchema } from './contract';

/** One delegation of a batch. No field has a default: the model writes all of them in every call. */
const delegationParametersSchema = z.strictObject({
  reason: z.string().min(1).describe('Why this subagent exists, in one sentence'),
  expected_result: z.string().min(1).describe('What it should deliver, in one sentence'),
  may_delegate_further: z.enum(['yes', 'no']).describe('Whether it may dispatch subagents of its own'),
  recap_lines: z
    .array(z.string().min(1))
    .min(1)
    .describe('The task as short recap lines, detailed enough to work from'),
});
export type DelegationParameters = Readonly<z.infer<typeof delegationParametersSchema>>;

/** Parameters of `dispatch_subagents`. */
export const dispatchSubagentsSchema = z.strictObject({
  delegations: z.array(delegationParametersSchema).min(1, 'must have at least one delegation'),
});

/**
 * Describes `dispatch_subagents` for models and prompts. The workflow itself carries out the call, as one child
 * workflow per delegation.
 */
export function dispatchSubagentsTool(): ToolDescription {
  const inputSchema = z.toJSONSchema(dispatchSubagentsSchema, { io: 'input' }) as ToolDescription['inputSchema'];
  delete inputSchema['$schema'];
  return {
    name: dispatchSubagentsName,
    id: 'baton/dispatch_subagents@2',
    description:
      'Run several subagents in parallel. They share your session, files and tools: you see what they wrote, and they see ' +
      "each other's writes. Returns a JSON array with one {output, success, error} per delegation, in the order given.",
    inputSchema,
    success:
      'One result per delegation, with its output or error. All changes that the subagents made are in your session.',
    cost: 'All turns of all subagents; only their outputs enter your context.',
    safeToRepeat: true,
  };
}

/**
 * A delegation of a batch that is ready to start: its prompt is stored. Values common to the batch are not repeated
 * here.
 */
const readyItemSchema = z.object({
  ok: z.literal(true),
  delegationId: z.string(),
  prompt: passedRefSchema,
  opening: passedRefSchema,
  /** Whether it may delegate further; omitted if not. */
  mayDelegate: z.literal(true).exactOptional(),
  headline: z.string(),
});
export type ReadyItem = Readonly<z.infer<typeof readyItemSchema>>;

/** A delegation whose prompt could not be composed. The refusal becomes its result. */
const refusedItemSchema = refusalSchema.extend({ ok: z.literal(false) });

/** One delegation of a batch after preparation. */
const batchItemSchema = z.discriminatedUnion('ok', [readyItemSchema, refusedItemSchema]);
export type BatchItem = Readonly<z.infer<typeof batchItemSchema>>;

/** A prepared part of a batch, or the reason why the whole batch was refused. */
export const preparedBatchSchema = z.discriminatedUnion('ok', [
  z.object({
    ok: z.literal(true),
    /** Number of delegations in the whole batch. */
    total: z.int().positive(),
    items: z.array(batchItemSchema).readonly(),
    /** Tool list of the delegations that may not delegate further. */
    lastLevelTools: blobRefSchema,
  }),
  z.object({ ok: z.literal(false), message: z.string() }),
]);
export type PreparedBatch = Readonly<z.infer<typeof preparedBatchSchema>>;
