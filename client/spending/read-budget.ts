import type { Client } from '@temporalio/client';
import { z } from 'zod';
import { type Allowance, allowanceSchema } from '../../domain/budget';
import { readEnding } from '../agent/ending';
import { queryAgentStatus } from '../agent/outcome';
import { Decoder } from '../event/decoder';
import { Histories } from '../event/histories';

/** The parts of a workflow's start argument that have a budget: as it was given, and as an earlier execution passed it on. */
const startSchema = z.object({
  budget: allowanceSchema.optional(),
  resume: z.object({ progress: z.object({ ledger: z.object({ allowance: allowanceSchema }) }) }).optional(),
});

/** Reads the budget of an agent from the beginning of its history, so no worker is needed. Null if it has none. */
export async function readBudget(client: Client, workflowId: string): Promise<Allowance | null> {
  const event = await new Histories(client).firstEvent({ workflowId });
  const started = event?.workflowExecutionStartedEventAttributes;
  const start = await new Decoder(client).read(started?.input, startSchema);
  return start?.resume?.progress.ledger.allowance ?? start?.budget ?? null;
}

/**
 * Reads the budget of an agent as operators have amended it. Null if it has none: amending adds to limits that there are.
 * Without a worker, it is the budget that the latest execution started with.
 */
export async function readAmendedBudget(client: Client, workflowId: string): Promise<Allowance | null> {
  const started = await readBudget(client, workflowId);
  if (started === null) return null;
  const atEnd = (await readEnding(client, workflowId))?.budget;
  return atEnd ?? (await queryAgentStatus(client, workflowId))?.budget ?? started;
}
