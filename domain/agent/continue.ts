import { nothingSpent, openLedger } from '../budget';
import { canonicalJson } from '../kernel';
import type { ToolOutcome } from '../tool';
import type { AgentSettings } from './agent-settings';
import type { AgentState } from './continue-contract';
import { type AgentProgress, type OpenedAgent, withCallLimits } from './progress';
import type { Continues } from './run-input';

/** What a run adds to the state of the run that it continues from. */
export interface Continuation {
  readonly settings: Pick<AgentSettings, 'model' | 'budget'>;
  /** What belongs to where the new run runs. */
  readonly place: Pick<OpenedAgent, 'storeId' | 'searchAttributes'>;
  /** Outcomes of the last turn's calls, with their texts: the records of that turn stay with the other run. */
  readonly outcomes: readonly ToolOutcome[];
  readonly continues: Continues;
}

/**
 * Returns the progress of a run that continues from a turn of another one. Conversation, session and workspace are taken
 * over. Nothing that the other run spent counts, because that run has paid for it; calls of tools whose number is limited
 * do, because they were made. What operators changed about turns and deadlines does not.
 */
export function continuedProgress(
  { progress, model }: AgentState,
  { settings, place, outcomes, continues }: Continuation,
): AgentProgress {
  const { fallbacks: _fallbacks, told: _told, ledger, ...kept } = progress;
  const { maxTurns: _turns, deadline: _deadline, ...changes } = progress.changes;
  const opened = { ...progress.opened, ...place };
  const isSameModel = canonicalJson(model) === canonicalJson(settings.model);
  return {
    ...kept,
    opened,
    outcomes,
    tries: 0,
    changes: isSameModel ? changes : { ...changes, model: settings.model },
    changesTold: isSameModel ? progress.changesTold : false,
    ledger: {
      ...openLedger(withCallLimits(settings.budget ?? {}, opened)),
      own: { ...nothingSpent, ...callsIn(ledger.own) },
      delegated: { ...nothingSpent, ...callsIn(ledger.delegated) },
    },
    continues,
  };
}

function callsIn({ calls }: AgentProgress['ledger']['own']): Pick<AgentProgress['ledger']['own'], 'calls'> {
  return calls === undefined ? {} : { calls };
}
