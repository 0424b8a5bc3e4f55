import { formatUsd } from '../model';

/** Shares left of a budget or a context window at which an agent is told about it, unless its run sets others. */
export const defaultNotices: readonly number[] = [0.25, 0.1];

/**
 * Something that an agent can use up: a budget in tokens, dollars or turns that it shares with its delegations, its own
 * turns, and its context window.
 */
type ResourceName = 'tokens' | 'microUsd' | 'turns' | 'ownTurns' | 'window';

/** How much of something is left. */
export interface Resource {
  readonly name: ResourceName;
  readonly limit: number;
  readonly left: number;
  /** What happens when nothing is left. */
  readonly then: 'stop' | 'handOff';
}

/** The lowest share of each resource that an agent has been told about. What it has not been told about is omitted. */
export type Told = Readonly<Partial<Record<ResourceName, number>>>;

/** A message about resources that run low, and what the agent has been told about once it has received it. */
export interface Notice {
  /** Undefined when there is nothing new. */
  readonly text: string | undefined;
  readonly told: Told;
}

/**
 * Decides what an agent has to be told before its next call: each resource of which a share or less is left, once per
 * share. A resource of which more is available again, because an operator added to it, is announced again when it runs
 * low.
 */
export function noticeAbout(resources: readonly Resource[], told: Told, shares: readonly number[]): Notice {
  const low = resources.flatMap((resource) => {
    const share = reachedShare(resource, shares);
    return share === undefined ? [] : [{ resource, share }];
  });
  const isNew = low.filter(({ resource, share }) => share < (told[resource.name] ?? 1)).map(({ resource }) => resource);
  return {
    text: isNew.length === 0 ? undefined : formatNotice(isNew),
    told: Object.fromEntries(low.map(({ resource, share }) => [resource.name, share])),
  };
}

/** The lowest share that the resource has reached; undefined if it has reached none. */
function reachedShare({ limit, left }: Resource, shares: readonly number[]): number | undefined {
  const reached = shares.filter((share) => left <= share * limit);
  return reached.length === 0 ? undefined : Math.min(...reached);
}

/** Returns how much of a resource can be used before the agent has to be told about it. */
export function roomBeforeNotice({ limit, left }: Resource, shares: readonly number[]): number {
  const next = Math.max(0, ...shares.map((share) => share * limit).filter((bound) => bound < left));
  return Math.max(0, Math.ceil(left - next) - 1);
}

/** Part of every notice, and of no other message to a model. */
export const lowResourcesNotice = 'You are running low:';

function formatNotice(resources: readonly Resource[]): string {
  const stops = resources.some(({ then }) => then === 'stop');
  const handsOff = resources.some(({ then }) => then === 'handOff');
  return [
    lowResourcesNotice,
    ...resources.map((resource) => `- ${describe(resource)}`),
    ...(stops
      ? ['When nothing is left, you are stopped without an answer. Do what matters most, and answer in time.']
      : []),
    ...(handsOff ? ['Record what must not be lost as notes and artifacts, before you have to hand off.'] : []),
  ].join('\n');
}

function describe({ name, limit, left }: Resource): string {
  switch (name) {
    case 'tokens':
      return `budget: ${left} of ${limit} tokens are left for you and your delegations.`;
    case 'microUsd':
      return `budget: ${formatUsd(left, 'exact')} of ${formatUsd(limit, 'exact')} is left for you and your delegations.`;
    case 'turns':
      return `budget: ${left} of ${limit} turns are left for you and your delegations, this one included.`;
    case 'ownTurns':
      return `turns: ${left} of your ${limit} turns are left, this one included.`;
    case 'window':
      return `context window: ${left} of ${limit} tokens are left for this conversation.`;
  }
}
