import Sequencer from '@jest/test-sequencer';

type Tests = Parameters<Sequencer['sort']>[0];

/** Files of test/ that run for fifty seconds or more beside others, the longest first. */
const longest = [
  'e2e/bench',
  'e2e/installed-package',
  'activities/agent/turn-crashes',
  'workflows/session/shared-session-crashes',
  'chaos/chaos',
  'e2e/demo',
  'chaos/services',
  'workflows/delegation/reset-every-point',
  'cli/agent/follow-waiting',
  'workflows/agent/crash',
  'client/spending/every-place',
  'store/contract/s3',
  'e2e/stopping',
  'cli/agent/follow-outage',
  'cli/program/hostile-text',
  'workflows/store/store-trouble',
  'workflows/relay/large-outputs',
  'cli/program/every-option',
  'activities/model/response-fuzz',
];

/** Tiers whose files wait for servers, processes and browsers. */
const slowTiers = ['chaos', 'e2e', 'workflows'];

/**
 * Jest starts with the files that took longest the last time, and on a fresh checkout with the largest. But a small file
 * may run for a minute: started last, it would run alone while the other processes have nothing left to do.
 */
export default class LongestFirst extends Sequencer {
  override async sort(tests: Tests): Promise<Tests> {
    const sorted = await super.sort(tests);
    const named = (name: string): Tests => sorted.filter(({ path }) => path.endsWith(`/test/${name}.test.ts`));
    const inTier = (name: string): Tests => sorted.filter(({ context }) => context.config.displayName?.name === name);
    return [...new Set([...longest.flatMap(named), ...slowTiers.flatMap(inTier), ...sorted])];
  }
}
