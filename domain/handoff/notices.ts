import type { AgentProgress, AgentSettings } from '../agent';
import { defaultNotices, type Notice, noticeAbout, remainingBudget, type Resource, type Told } from '../budget';
import { handoffSettings, handoffThreshold } from './handoff';

/**
 * Returns what an agent is told with its next call about its budget, its turns and its context window. A conversation
 * that continues from a handoff is told again, because it knows nothing of what the earlier one was told.
 */
export function lowResources(settings: AgentSettings, progress: AgentProgress): Notice {
  const { notices = defaultNotices } = settings;
  return noticeAbout(resourcesOf(settings, progress), progress.told ?? {}, notices);
}

/** Returns the progress of an agent that has received the notice. */
export function withTold({ told: _, ...progress }: AgentProgress, told: Told): AgentProgress {
  return Object.keys(told).length === 0 ? progress : { ...progress, told };
}

function resourcesOf(settings: AgentSettings, progress: AgentProgress): readonly Resource[] {
  const { calls, ledger, occupancy, handoffs } = progress;
  const { maxTurns } = settings.limits;
  const threshold = handoffThreshold(settings);
  const canHandOff = handoffs.length < handoffSettings(settings).max;
  return [
    ...remainingBudget(ledger).map((resource) => ({ ...resource, then: 'stop' as const })),
    { name: 'ownTurns', limit: maxTurns, left: Math.max(0, maxTurns - calls), then: 'stop' },
    {
      name: 'window',
      limit: threshold,
      left: Math.max(0, threshold - occupancy),
      then: canHandOff ? 'handOff' : 'stop',
    },
  ];
}
