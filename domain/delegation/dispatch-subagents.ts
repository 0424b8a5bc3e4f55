import { z } from 'zod';
import type { ToolDescription } from '../tool/description';

export const dispatchSubagentsName = 'dispatch_subagents';

/** One delegation of a batch. No field has a default: the model writes all of them in every call. */
export const delegationParametersSchema = z.strictObject({
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
export type DispatchSubagentsParameters = Readonly<z.infer<typeof dispatchSubagentsSchema>>;

/**
 * Describes `dispatch_subagents` for models and prompts. The workflow itself carries out the call, as one child
 * workflow per delegation.
 */
export function dispatchSubagentsTool(): ToolDescription {
  const inputSchema = z.toJSONSchema(dispatchSubagentsSchema, { io: 'input' }) as ToolDescription['inputSchema'];
  delete inputSchema['$schema'];
  return {
    name: dispatchSubagentsName,
    id: 'baton/dispatch_subagents@1',
    description:
      'Run several subagents in parallel. They share your session, files and tools: you see what they wrote, and they see ' +
      "each other's writes. Returns one result per delegation, in the order given.",
    inputSchema,
    success:
      'One result per delegation, with its output or error. All changes that the subagents made are in your session.',
    cost: 'All turns of all subagents; only their outputs enter your context.',
    safeToRepeat: true,
  };
}
