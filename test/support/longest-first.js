const { default: Sequencer } = require('@jest/test-sequencer');

/** Tiers whose files wait for servers, processes and browsers. */
const slowTiers = ['chaos', 'e2e', 'workflows'];

/**
 * Jest starts with the files that took longest the last time, and on a fresh checkout with the largest. But a short
 * file may run for a minute: started last, it would run alone while the other processes are idle.
 */
module.exports = class LongestFirst extends Sequencer {
  async sort(tests) {
    const sorted = await super.sort(tests);
    const inTier = (name) => sorted.filter(({ context }) => context.config.displayName?.name === name);
    const first = slowTiers.flatMap(inTier);
    return [...first, ...sorted.filter((test) => !first.includes(test))];
  }
};
