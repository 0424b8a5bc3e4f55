import { mustRunAgain, type ReusePolicy, reusePolicy } from '../../domain/delegation';
import type { FoundRetry } from '../../domain/operator';
import type { Model, Step } from './explore';

// An agent with several delegations that is reset, by anyone or by an operator's retry, while its delegations run, end, fail and
// are retried by themselves. The server is as Temporal documents it: one open execution per workflow id.

/** The functions that carry the promise. Tests replace them by broken ones. */
export interface ChildProtocol {
  readonly mustRunAgain: typeof mustRunAgain;
  readonly reusePolicy: (isFirstAttempt: boolean) => ReusePolicy | 'ALLOW_DUPLICATE';
}
export const childProtocol: ChildProtocol = { mustRunAgain, reusePolicy };

/** How much may happen. */
export interface ChildBounds {
  readonly delegations: number;
  /** Executions that fail or are terminated. */
  readonly failures: number;
  /** Resets of the parent, each to any earlier point. */
  readonly resets: number;
  /** Executions of a delegation that an operator has taken back, so that it runs again by itself. */
  readonly retries: number;
}

type Status = 'running' | 'completed' | 'failed';

/** What the parent does about a delegation. */
type Progress =
  | { readonly is: 'not started' }
  /** The server has refused to start it, because it exists. The parent asks how it ended. */
  | { readonly is: 'asking' }
  /** It is to run again; between the question and now, anything may have happened. */
  | { readonly is: 'starting again'; readonly isNamed: boolean }
  | { readonly is: 'waiting' }
  | { readonly is: 'known'; readonly result: Exclude<Status, 'running'>; readonly execution: number };

interface World {
  /** The executions of each delegation, in order. */
  readonly server: readonly (readonly Status[])[];
  readonly parent: readonly Progress[];
  /** What the parent's current execution began with: null, or what an operator's retry named. */
  readonly retry: readonly number[] | null;
  readonly left: Pick<ChildBounds, 'failures' | 'resets' | 'retries'>;
  /** A step that must never be taken, and was. */
  readonly wrong: string | null;
}

const replaced = <T>(list: readonly T[], index: number, item: T): readonly T[] =>
  list.map((old, at) => (at === index ? item : old));
const idOf = (index: number): string => `d${index}`;

export function childModel(bounds: ChildBounds, protocol: ChildProtocol = childProtocol): Model<World> {
  const { failures, resets, retries } = bounds;
  return {
    initial: {
      server: Array.from({ length: bounds.delegations }, () => []),
      parent: Array.from({ length: bounds.delegations }, () => ({ is: 'not started' }) as const),
      retry: null,
      left: { failures, resets, retries },
      wrong: null,
    },
    steps: (world) => [
      ...world.parent.flatMap((progress, index) => parentSteps(protocol, world, progress, index)),
      ...world.server.flatMap((_, index) => serverSteps(world, index)),
      ...resetSteps(world),
    ],
    key: (world) => JSON.stringify(world),
    check: (world, isEnd) => world.wrong ?? wrongIn(world, bounds) ?? (isEnd ? wrongAtEnd(world) : undefined),
  };
}

function parentSteps(protocol: ChildProtocol, world: World, progress: Progress, index: number): Step<World>[] {
  const id = idOf(index);
  const now = (next: Progress, server = world.server): World => ({
    ...world,
    server,
    parent: replaced(world.parent, index, next),
  });
  switch (progress.is) {
    case 'not started':
      return [{ name: `the parent starts ${id}`, next: () => started(protocol, world, index, true) }];
    case 'asking':
      return [{ name: `the parent asks about ${id}`, next: () => now(asked(protocol, world, index)) }];
    case 'starting again':
      return [{ name: `the parent starts ${id} again`, next: () => started(protocol, world, index, false) }];
    case 'waiting': {
      const executions = world.server[index] ?? [];
      const last = executions.at(-1);
      if (last === undefined || last === 'running') return [];
      const known: Progress = { is: 'known', result: last, execution: executions.length };
      return [{ name: `the parent gets the end of ${id}`, next: () => now(known) }];
    }
    case 'known':
      return [];
  }
}

function asked(protocol: ChildProtocol, { server, retry }: World, index: number): Progress {
  const last = server[index]?.at(-1);
  const found: Pick<FoundRetry, 'retry' | 'hasFailed'> = {
    retry: retry === null ? null : { startAgain: retry.map(idOf) },
    hasFailed: last === 'failed',
  };
  if (!protocol.mustRunAgain(idOf(index), found)) return { is: 'waiting' };
  return { is: 'starting again', isNamed: retry === null || retry.includes(index) };
}

/** The server starts a child unless its policy forbids it. */
function started(protocol: ChildProtocol, world: World, index: number, isFirst: boolean): World {
  const executions = world.server[index] ?? [];
  const policy = protocol.reusePolicy(isFirst);
  const last = executions.at(-1);
  const mayStart =
    last === undefined ||
    (last !== 'running' &&
      (policy === 'ALLOW_DUPLICATE' || (policy === 'ALLOW_DUPLICATE_FAILED_ONLY' && last === 'failed')));
  const to = (progress: Progress, server = world.server): World => ({
    ...world,
    server,
    parent: replaced(world.parent, index, progress),
  });
  // Already started: the first attempt asks, a repeated one adopts what is there.
  if (!mayStart) return to({ is: isFirst ? 'asking' : 'waiting' });
  const next = to({ is: 'waiting' }, replaced(world.server, index, [...executions, 'running']));
  if (last === 'completed') return { ...next, wrong: `${idOf(index)} had completed and runs again` };
  const progress = world.parent[index];
  if (last === 'failed' && !(progress?.is === 'starting again' && progress.isNamed))
    return { ...next, wrong: `${idOf(index)} runs again although nobody asked for it` };
  return next;
}

function serverSteps(world: World, index: number): Step<World>[] {
  const executions = world.server[index] ?? [];
  const last = executions.at(-1);
  const { left } = world;
  const ended = (status: Status): World => ({
    ...world,
    server: replaced(world.server, index, [...executions.slice(0, -1), status]),
  });
  if (last === 'running')
    return [
      { name: `${idOf(index)} completes`, next: () => ended('completed') },
      ...(left.failures === 0
        ? []
        : [
            {
              name: `${idOf(index)} fails`,
              next: () => ({ ...ended('failed'), left: { ...left, failures: left.failures - 1 } }),
            },
          ]),
    ];
  if (last !== 'failed' || left.retries === 0) return [];
  const next = (): World => ({
    ...world,
    server: replaced(world.server, index, [...executions, 'running']),
    left: { ...left, retries: left.retries - 1 },
  });
  return [{ name: `an operator takes ${idOf(index)} back`, next }];
}

/** A reset takes the parent back to before some of its delegations; the server keeps their executions. */
function resetSteps(world: World): Step<World>[] {
  const { left, parent } = world;
  if (left.resets === 0) return [];
  const begun = parent.flatMap(({ is }, index) => (is === 'not started' ? [] : [index]));
  return subsets(begun)
    .filter((forgotten) => forgotten.length > 0)
    .flatMap((forgotten) => {
      const back = parent.map((progress, index): Progress =>
        forgotten.includes(index) ? { is: 'not started' } : progress,
      );
      const reset = (retry: World['retry']): World => ({
        ...world,
        parent: back,
        retry,
        left: { ...left, resets: left.resets - 1 },
      });
      const names = forgotten.map(idOf).join(' and ');
      return [
        { name: `the parent is reset to before ${names}`, next: () => reset(null) },
        ...subsets(forgotten).map((named) => ({
          name: `an operator's retry takes the parent back to before ${names}, naming ${named.map(idOf).join(' and ') || 'none'}`,
          next: () => reset(named),
        })),
      ];
    });
}

function subsets(of: readonly number[]): number[][] {
  return of.reduce<number[][]>((sets, item) => [...sets, ...sets.map((set) => [...set, item])], [[]]);
}

function wrongIn({ server, left }: World, { failures }: ChildBounds): string | undefined {
  for (const [index, executions] of server.entries()) {
    if (executions.filter((status) => status === 'running').length > 1) return `${idOf(index)} runs twice at a time`;
    if (executions.filter((status) => status === 'completed').length > 1) return `${idOf(index)} has completed twice`;
    // Every execution after the first follows one that failed.
    if (executions.length > 1 + (failures - left.failures)) return `${idOf(index)} has run more often than it failed`;
  }
  return undefined;
}

function wrongAtEnd({ parent, server }: World): string | undefined {
  for (const [index, progress] of parent.entries()) {
    const executions = server[index] ?? [];
    const last = executions.at(-1);
    if (progress.is !== 'known') return `the parent waits for ${idOf(index)} for ever`;
    if (last === 'running') return `${idOf(index)} still runs after its parent has ended`;
    // A delegation that an operator takes back later reaches its parent by another reset.
    if (progress.execution === executions.length && progress.result !== last)
      return `the parent has another end of ${idOf(index)}`;
  }
  return undefined;
}
