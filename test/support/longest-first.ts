import Sequencer from '@jest/test-sequencer';

type Tests = Parameters<Sequencer['sort']>[0];

/** Files of test/ that run for half a minute or more, the longest first. */
const longest = [
  'e2e/installed-package',
  'e2e/bench',
  'workflows/session/shared-session-crashes',
  'activities/agent/turn-crashes',
  'interleavings/interleavings',
  'store/contract/s3',
  'chaos/chaos',
  'e2e/demo',
  'activities/model/response-fuzz',
  'workflows/delegation/reset-every-point',
  'chaos/services',
  'workflows/agent/crash',
  'e2e/stopping',
  'e2e/stores',
  'cli/agent/follow-outage',
  'workflows/agent/burst',
  'workflows/relay/large-outputs',
  'workflows/agent/turn-equivalence',
  'testing/harness/example',
  'cli/program/hostile-text',
  'workflows/messages/messages',
  'e2e/cluster',
  'workflows/store/store-trouble',
  'store/contract/file',
  'fuzz/chat-streams',
  'fuzz/definitions',
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
