import type { AgentProgress, AgentSettings } from '../agent';
import {
  type Allowance,
  defaultNotices,
  type Notice,
  noticeAbout,
  remainingBudget,
  type Resource,
  roomBeforeNotice,
  type Told,
} from '../budget';
import { handoffSettings, handoffThreshold } from './handoff';

/**
 * Returns what an agent is told with its next call about its budget, its turns and its context window. A conversation
 * that continues from a handoff is told again, because it knows nothing of what the earlier one was told.
 */
export function lowResources(settings: AgentSettings, progress: AgentProgress): Notice {
  const { notices = defaultNotices } = settings;
  return noticeAbout(resourcesOf(settings, progress), progress.told ?? {}, notices);
}

/**
 * Returns how far an agent may go before anything has to be decided: turns, tokens of its context window, and what is left
 * of its budget. No notice is due and no limit is reached until then.
 */
export function undisturbedRoom(settings: AgentSettings, progress: AgentProgress): UndisturbedRoom {
  const { notices = defaultNotices } = settings;
  const room = new Map(
    resourcesOf(settings, progress).map((resource) => [resource.name, roomBeforeNotice(resource, notices)]),
  );
  const [tokens, microUsd] = [room.get('tokens'), room.get('microUsd')];
  const budget = { ...(tokens === undefined ? {} : { tokens }), ...(microUsd === undefined ? {} : { microUsd }) };
  return {
    turns: Math.min(room.get('ownTurns') ?? 0, room.get('turns') ?? Infinity),
    window: progress.occupancy + (room.get('window') ?? 0),
    ...(Object.keys(budget).length === 0 ? {} : { budget }),
  };
}

interface UndisturbedRoom {
  readonly turns: number;
  readonly window: number;
  /** Omitted when nothing is limited. */
  readonly budget?: Allowance;
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
