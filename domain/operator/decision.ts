import { z } from 'zod';
import { allowanceSchema } from '../budget/allowance';
import { toolNameSchema } from '../tool/description';

const words = z.string().max(4_000);

/** What an operator may change about an agent before its step is tried again. */
export const amendmentSchema = z
  .strictObject({
    /** Told to the model with the next turn. */
    instructions: words.min(1).optional(),
    model: z
      .strictObject({
        name: z.string().min(1).max(100).optional(),
        maxTokens: z.int().positive().max(1_000_000).optional(),
        window: z.int().positive().max(100_000_000).optional(),
      })
      .optional(),
    /** Added to what the agent and its delegations may spend; turns also to the agent's own limit. */
    budget: allowanceSchema.optional(),
    tools: z
      .strictObject({
        grant: z.array(toolNameSchema).max(64).optional(),
        revoke: z.array(toolNameSchema).max(64).optional(),
      })
      .optional(),
  })
  .refine((amendment) => Object.keys(amendment).length > 0, 'must change something');
export type Amendment = Readonly<z.infer<typeof amendmentSchema>>;

/** The argument of the Update `operatorDecision`. */
export const operatorDecisionSchema = z.discriminatedUnion('action', [
  z.strictObject({ action: z.literal('retry'), ...common() }),
  z.strictObject({ action: z.literal('amend'), amendment: amendmentSchema, ...common() }),
  z.strictObject({ action: z.literal('skip'), placeholder: words.min(1), ...common() }),
  z.strictObject({ action: z.literal('abort'), ...common() }),
  z.strictObject({ action: z.literal('approve'), ...common() }),
  z.strictObject({ action: z.literal('deny'), ...common() }),
]);
export type OperatorDecision = Readonly<z.infer<typeof operatorDecisionSchema>>;
export type OperatorAction = OperatorDecision['action'];

function common() {
  return {
    /** Id of the incident that it answers. */
    incident: z.string().min(1).max(40),
    note: words.optional(),
    /** Who decided. */
    by: z.string().max(200).optional(),
  };
}
