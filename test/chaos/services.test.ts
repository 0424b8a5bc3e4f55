import { describeRounds } from './rounds';

describeRounds('a tree of delegations waits for its provider and its store, despite', {
  'provider-429': 21,
  'provider-529': 22,
  'provider-500': 23,
  'provider-hang': 24,
  'provider-drop': 25,
  'provider-malformed': 26,
  'store-full': 27,
  'store-read-only': 28,
  'store-slow': 29,
});
