import type { StatusSnapshot } from '../../../domain/agent';
import { type AgentFigures, type Figures, noFigures } from '../../../domain/budget';
import type { Usage } from '../../../domain/model';
import type { AgentBudgetView } from '../../../page/protocol';

/** Builds the budget of an agent from what it consumed and what it says about itself, if a worker answers. */
export function budgetView(
  { own, withDelegations }: AgentFigures,
  snapshot: StatusSnapshot | undefined,
  { deadline, handoffAt }: { readonly deadline: number | null; readonly handoffAt: number | null },
): AgentBudgetView {
  const { microUsd = null, tokens = null, turns = null } = snapshot?.budget ?? {};
  const held = snapshot?.reserved ?? {};
  const isModel = snapshot !== undefined && snapshot.relay === undefined && snapshot.window > 0;
  return {
    own,
    below: minus(withDelegations, own),
    held: {
      turns: held.turns ?? 0,
      usage: { ...noFigures.usage, input: held.tokens ?? 0 },
      microUsd: held.microUsd ?? 0,
    },
    limits: { microUsd, tokens, turns },
    deadline,
    window: isModel ? { occupied: snapshot.occupancy, size: snapshot.window, handoffAt } : null,
    injectedTokens: snapshot?.injectedTokens ?? null,
    readTokens: snapshot?.activeTokens ?? null,
  };
}

function minus(all: Figures, own: Figures): Figures {
  return {
    turns: all.turns - own.turns,
    usage: usageMinus(all.usage, own.usage),
    microUsd: all.microUsd === null || own.microUsd === null ? null : all.microUsd - own.microUsd,
  };
}

function usageMinus(all: Usage, own: Usage): Usage {
  return {
    input: all.input - own.input,
    cacheRead: all.cacheRead - own.cacheRead,
    cacheWrite: all.cacheWrite - own.cacheWrite,
    output: all.output - own.output,
    ...(all.estimated === true ? { estimated: true } : {}),
  };
}
