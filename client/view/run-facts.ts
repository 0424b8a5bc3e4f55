import type { Client } from '@temporalio/client';
import { z } from 'zod';
import type { StatusSnapshot } from '../../domain/agent';
import { allowanceSchema } from '../../domain/budget';
import { findPrice, type ModelCatalog, type PriceTable } from '../../domain/model';
import { Decoder } from '../event/decoder';
import { Histories } from '../event/histories';
import type { FindPrice } from './reduce-event';
import type { BudgetView } from './run-view';

const stepSchema = z.object({
  name: z.string(),
  skill: z.string(),
  artifacts: z.array(z.string()).optional(),
  each: z.unknown().optional(),
});

/** The parts of a run's start that a view shows. Unknown parts are omitted. */
const startSchema = z.object({
  model: z.object({ name: z.string().optional() }).optional(),
  limits: z.object({ maxTurns: z.number().optional() }).optional(),
  budget: allowanceSchema.optional(),
  deadline: z.string().optional(),
  prices: z.custom<PriceTable>().optional(),
  models: z.custom<ModelCatalog>().optional(),
  /** Name of a relay that the worker has, or its definition. */
  relay: z.union([z.string(), z.object({ name: z.string(), steps: z.array(stepSchema) })]).optional(),
});

/** What a run was started with. */
export type RunStart = Readonly<z.infer<typeof startSchema>>;

/** A step of a relay, as far as a view shows it. */
type RelayStepFacts = Readonly<z.infer<typeof stepSchema>>;

/** A relay, as far as its start says what it is. */
export interface RelayFacts {
  readonly name: string;
  /** Empty if the start only names the relay. */
  readonly steps: readonly RelayStepFacts[];
}

/** Returns what the start of a run says about its relay; undefined for other runs. */
export function relayFactsOf({ relay }: Pick<RunStart, 'relay'>): RelayFacts | undefined {
  return typeof relay === 'string' ? { name: relay, steps: [] } : relay;
}

/** Reads what a run was started with from the history of its first execution. */
export async function readRunStart(client: Client, workflowId: string, executionId: string): Promise<RunStart> {
  const first = await new Histories(client).firstEvent({ workflowId, executionId });
  const { input } = first?.workflowExecutionStartedEventAttributes ?? {};
  return (await new Decoder(client).read(input, startSchema)) ?? {};
}

/** Finds prices as the run does, with those that it was started with. */
export function pricesOf({ prices, models }: Pick<RunStart, 'prices' | 'models'>): FindPrice {
  return (model) => findPrice(model, prices, models);
}

/** Limits of a run. What is reserved for running delegations only the root itself knows. */
export function budgetOf(
  { budget, deadline }: Pick<RunStart, 'budget' | 'deadline'>,
  snapshot?: Pick<StatusSnapshot, 'budget' | 'reserved'>,
): BudgetView {
  // An operator may have raised it.
  const limits = snapshot?.budget ?? budget ?? {};
  const held = snapshot?.reserved ?? {};
  return {
    microUsd: { limit: limits.microUsd ?? null, held: held.microUsd ?? 0 },
    tokens: { limit: limits.tokens ?? null, held: held.tokens ?? 0 },
    turns: { limit: limits.turns ?? null, held: held.turns ?? 0 },
    deadline: deadline === undefined ? null : Date.parse(deadline),
  };
}
