import { z } from 'zod';
import { pendingOutcomeSchema } from '../../../domain/agent';

// The start arguments of all agents, whatever their workflow type. Anyone may start a workflow with any value, so these
// schemas have only the fields that are read, and a value that does not match them is ignored.

/** Start argument of an agent's workflow. A root agent has neither a delegation nor a shared session. */
export const agentStart = z.object({
  delegationId: z.string().optional(),
  sharedSession: z.string().nullable().optional(),
  model: z.object({ name: z.string().optional() }).optional(),
  /** Set for a root with a skill, which may have another model. */
  skill: z.unknown().optional(),
});

/** What an agent passes to its next execution. The host of a session passes something else, without progress. */
export const resumedInput = z.object({
  resume: z
    .object({ progress: z.object({ outcomes: z.array(pendingOutcomeSchema).readonly() }).optional() })
    .optional(),
});
