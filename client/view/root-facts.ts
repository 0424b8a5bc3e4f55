import type { Client } from '@temporalio/client';
import { formatRelayStatus, type StatusSnapshot } from '../../domain/agent';
import { figuresOf } from '../../domain/budget';
import { ConcurrencyLimit, runWorkflowId } from '../../domain/kernel';
import { readEnding } from '../agent/ending';
import { queryAgentStatus } from '../agent/outcome';
import type { RunRow } from './run-view';

/** What the server knows about the root of a run, for lists. */
export type RootFacts = Pick<RunRow, 'model' | 'detail' | 'figures'>;

export const noFacts: RootFacts = { model: null, detail: '', figures: null };

/** Reads how a run ended from its last event. */
export async function readEndedRoot(client: Client, runId: string): Promise<RootFacts> {
  const ending = await readEnding(client, runWorkflowId(runId));
  if (ending === undefined) return noFacts;
  const { kind, cause, withDelegations } = ending;
  return { ...noFacts, detail: kind === 'failed' ? (cause?.type ?? '') : '', figures: withDelegations };
}

/** How often an open root is asked. */
const askedMs = 5_000;
const maxConcurrent = 8;

/** Asks the roots of open runs how far they are. Nobody waits for their answers: a worker that is away never gives one. */
export class OpenRoots {
  private readonly asked = new Map<string, { readonly at: number; facts: RootFacts }>();

  private readonly limit = new ConcurrencyLimit(maxConcurrent);

  constructor(private readonly client: Client) {}

  /** Returns the last answer of a root, and asks it again if that was long ago. */
  of(runId: string): RootFacts {
    const known = this.asked.get(runId);
    if (known !== undefined && Date.now() - known.at < askedMs) return known.facts;
    const entry = { at: Date.now(), facts: known?.facts ?? noFacts };
    this.asked.set(runId, entry);
    void this.limit.run(async () => {
      const snapshot = await queryAgentStatus(this.client, runWorkflowId(runId));
      if (snapshot !== undefined) entry.facts = factsOf(snapshot);
    });
    return entry.facts;
  }
}

function factsOf({ relay, model, delegations, spent }: StatusSnapshot): RootFacts {
  return {
    model: relay === undefined ? model : null,
    detail: relay === undefined ? '' : formatRelayStatus(relay),
    // What those below it have spent is counted when they end.
    figures: delegations > 0 ? null : figuresOf(spent),
  };
}
