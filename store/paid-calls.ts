import { z } from 'zod';
import {
  type AgentFigures,
  figuresOf,
  noFigures,
  type PaidCall,
  type Spending,
  spendingByAgent,
  withDelegations,
} from '../domain/budget';
import { priceSchema, usageSchema } from '../domain/model';
import type { RunStore } from '../domain/store';
import { readRoots } from './run-record';

/** The part of a journaled answer that tells what it cost. Whoever writes answers writes these fields. */
const paidAnswerSchema = z.object({
  agent: z.string(),
  at: z.string(),
  /** Model that was requested, and the usage that is charged, unless both are those of the answer. */
  charged: z
    .object({
      model: z.string(),
      usage: usageSchema.exactOptional(),
      /** Prices that an operator has set for the agent. */
      prices: z.record(z.string(), priceSchema).exactOptional(),
    })
    .exactOptional(),
  answer: z.object({ usage: usageSchema, model: z.string() }),
});
/** What is charged for an answer, as the journal has it. */
export type ChargedAnswer = NonNullable<z.infer<typeof paidAnswerSchema>['charged']>;

interface DatedCall extends PaidCall {
  readonly at: string;
}

/** What each agent of a run has spent, at one moment. */
export interface RunSpending {
  /** Returns what an agent spent itself, by workflow id. */
  own(workflowId: string): Spending | undefined;
  /** Returns what an agent and everything below it spent. */
  withDelegations(workflowId: string): Spending | undefined;
  /** Returns the model that an agent asked last, or the one that the run was started with. */
  model(workflowId: string): string;
}

/**
 * Reads what the agents of a run have spent from the answers of models in its journal. Answers are journaled before
 * anything else is done with them, so they are known in whatever way an agent ends, and also without a server or worker.
 * Each answer is read once: call `read` again for what was added.
 */
export class PaidCallReader {
  private readonly known = new Set<string>();
  private readonly calls: DatedCall[] = [];

  constructor(private readonly store: RunStore) {}

  /**
   * Reads the answers that were added since the last time, and adds up all of them. Undefined when the store has no
   * record of the run: another store may have its data.
   */
  async read(): Promise<RunSpending | undefined> {
    const roots = await readRoots(this.store);
    const latest = roots.at(-1);
    if (latest === undefined) return undefined;
    // If several runs had this id, only answers after the start of the latest are its own.
    const since = roots.length > 1 ? latest.at : '';
    for await (const { key, bytes } of this.store.entries('answer', this.known)) {
      if (this.known.has(key)) continue;
      this.known.add(key);
      const call = toCall(key, bytes);
      if (call !== undefined) this.calls.push(call);
    }
    const counted = this.calls.filter(({ at }) => at >= since);
    const own = spendingByAgent(counted, latest.settings);
    const all = withDelegations(own);
    return {
      own: (id) => own.get(id),
      withDelegations: (id) => all.get(id),
      model: (id) => lastOf(counted.filter(({ agent }) => agent === id))?.model ?? latest.settings.model.name,
    };
  }
}

function lastOf(calls: readonly DatedCall[]): DatedCall | undefined {
  return calls.reduce<DatedCall | undefined>(
    (last, call) => (last !== undefined && last.at > call.at ? last : call),
    undefined,
  );
}

/** Returns the figures of an agent. An agent that never called a model has none. */
export function figuresIn(spending: RunSpending, workflowId: string): AgentFigures {
  const own = spending.own(workflowId);
  const all = spending.withDelegations(workflowId);
  return {
    own: own === undefined ? noFigures : figuresOf(own),
    withDelegations: all === undefined ? noFigures : figuresOf(all),
  };
}

function toCall(key: string, bytes: Uint8Array): DatedCall | undefined {
  const { data } = paidAnswerSchema.safeParse(parseJson(bytes));
  if (data === undefined) return undefined;
  const { agent, at, answer, charged } = data;
  return {
    agent,
    at,
    // The rest of the key is the number of the request.
    call: key.slice(0, key.lastIndexOf('/')),
    model: charged?.model ?? answer.model,
    usage: charged?.usage ?? answer.usage,
    ...(charged?.prices === undefined ? {} : { prices: charged.prices }),
  };
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return undefined;
  }
}
