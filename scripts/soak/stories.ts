import type { StartRunOptions } from '../../client/baton';
import type { RunHandle } from '../../client/agent/run-handle';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  delegationDepth,
  delegator,
  explorer,
  fail,
  hang,
  longWork,
  reviewers,
  say,
  type Script,
} from '../../testing/scripted-model';

/** One kind of run: what it is started with, how the model plays it, and how it has to end. */
export interface Story {
  readonly name: string;
  readonly script: Script;
  /** Settings in addition to the goal and the workspace. Default: none. */
  readonly settings?: Omit<StartRunOptions, 'goal'>;
  /** What is done to the run while it runs. Default: nothing. */
  readonly disturb?: (run: RunHandle, index: number) => Promise<void>;
  readonly ends: 'completed' | 'cancelled';
}

/** Tokens of a context window that is too small for the files of the workspace. */
const smallWindow = 8_000;

const explore = explorer({ files: 2, folders: 1 });
const delegate = delegator();

/** The kinds of runs, which take turns. */
export const stories: readonly Story[] = [
  { name: 'alone', script: explore, ends: 'completed' },
  { name: 'isolated delegation', script: delegate, ends: 'completed' },
  {
    name: 'shared batch',
    script: reviewers({ subjects: ['README.md', 'src/gauge.js', 'src/forecast.js'] }),
    ends: 'completed',
  },
  {
    // The operator of the soak retries whatever waits.
    name: 'parked delegation',
    script: reviewers({ subjects: ['README.md', 'src/gauge.js'], lockedOut: 'README.md' }),
    settings: { onFailure: 'hold' },
    ends: 'completed',
  },
  {
    name: 'handoff',
    script: longWork(),
    settings: { model: { window: smallWindow, maxTokens: 1_000 } },
    ends: 'completed',
  },
  {
    name: 'failed and retried',
    script: (call) => (call.turn === 1 && call.attempt === 0 ? fail(400) : explore(call)),
    disturb: retryOnceFailed,
    ends: 'completed',
  },
  {
    // The subagent never gets an answer. Moments differ, so that every step is hit by a cancellation at some time.
    name: 'cancelled',
    script: (call) => (delegationDepth(call) > 0 ? hang({ answer: say('I am thinking.') }) : delegate(call)),
    disturb: cancelSoon,
    ends: 'cancelled',
  },
];

async function retryOnceFailed(run: RunHandle): Promise<void> {
  const first = await run.result();
  if (first.kind !== 'failed') throw new Error(`it ended as ${first.kind} before the retry`);
  await run.retry(null, { by: 'soak' });
}

async function cancelSoon(run: RunHandle, index: number): Promise<void> {
  await sleep(200 + ((index * 379) % 3_000));
  await run.cancel();
}

/** The goal of a run. The model finds the story in it, also in the prompts of delegations. */
export function goalOf({ name }: Story, index: number): string {
  return `Play the story "${name}", number ${index}.`;
}

/** Plays the story that the goal names. */
export const playStory: Script = (call) => {
  const name = /Play the story "([^"]+)"/.exec(call.systemText)?.[1];
  const story = stories.find((one) => one.name === name);
  if (story === undefined) throw new Error(`Unknown story "${name ?? ''}"`);
  return story.script(call);
};
