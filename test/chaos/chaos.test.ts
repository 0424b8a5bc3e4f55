import { describeRounds } from './rounds';

// More rounds, larger trees and several faults in one: npm run chaos -- --help
describeRounds('a tree of delegations loses nothing and does nothing twice, despite', {
  'no fault': 2,
  'kill-worker': 3,
  'stop-worker': 5,
  'two-workers': 8,
  'kill-server': 9,
  'kill-both': 12,
  'duplicate-delivery': 15,
  'continue-as-new': 16,
  reset: 17,
  terminate: 18,
});
