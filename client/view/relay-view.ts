import { formatRelayStatus, type RelayStatus } from '../../domain/agent';
import type { RelayFacts } from './run-facts';
import type { AgentRow, RelayView, ViewState } from './run-view';

/** Builds the view of a relay from its status, or from its definition while nobody answers; undefined for other runs. */
export function relayView(
  definition: RelayFacts | undefined,
  status: RelayStatus | undefined,
  agents: readonly AgentRow[],
): { readonly view: RelayView; readonly progress: string | undefined } | undefined {
  const name = status?.name ?? definition?.name;
  if (name === undefined) return undefined;
  const names = status?.steps.map((step) => step.name) ?? definition?.steps.map((step) => step.name) ?? [];
  const root = agents[0];
  const steps = names.map((id, index): RelayView['steps'][number] => {
    const facts = definition?.steps.find((step) => step.name === id);
    const known = status?.steps[index];
    const own = agents.filter(({ parent, headline }) => parent === '' && isOfStep(headline, id));
    return {
      id,
      state: stateOf({
        isOver: root?.endedAt != null,
        rootState: root?.state ?? 'unknown',
        own,
        known,
        isCurrent: status?.at === index + 1,
      }),
      agents: own.map(({ path }) => path),
      items: known?.items ?? null,
      round: known?.round ?? known?.completed ?? 0,
      outputs: facts?.artifacts ?? [],
    };
  });
  return { view: { name, steps }, progress: status && formatRelayStatus(status) };
}

/** Whether a headline, such as `execute 2 of 3, round 2: Add a test`, is that of an agent of a step. */
function isOfStep(headline: string, step: string): boolean {
  return headline.startsWith(step) && /^(?: \d+ of \d+)?(?:, round \d+)?: /.test(headline.slice(step.length));
}

interface StepFacts {
  readonly isOver: boolean;
  readonly rootState: ViewState;
  readonly own: readonly AgentRow[];
  readonly known: RelayStatus['steps'][number] | undefined;
  readonly isCurrent: boolean;
}

function stateOf({ isOver, rootState, own, known, isCurrent }: StepFacts): ViewState {
  const needsYou = own.find(({ state }) => state === 'needs you');
  if (needsYou !== undefined) return 'needs you';
  if (isCurrent) return isOver ? rootState : 'running';
  if ((known?.completed ?? 0) > 0) return 'completed';
  const [latest] = own.slice(-1);
  return latest === undefined ? 'queued' : latest.state;
}
