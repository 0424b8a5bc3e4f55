import {
  countItems,
  initialRelayState,
  LoadedOutputs,
  OutputNotLoadedError,
  outputsToStore,
} from '../../../domain/relay';
import type { RelayState } from '../../../domain/relay';
import { resolveReference } from '../../../domain/relay/select-output';

const ref = { hash: 'a'.repeat(64), bytes: 1, mediaType: 'application/json' };
const small = [{ '': ['short'] }];
const large = [{ '': ['x'.repeat(5_000)] }];
const step = (name: string) => ({ name, skill: 'writer', input: {} });
const relay = { name: 'r', description: 'd', steps: [step('one'), step('two'), step('three')] };
const state: RelayState = { ...initialRelayState('goal'), at: 2, outputs: { one: small, two: large } };

test('only large outputs are stored', () => {
  expect(outputsToStore(state)).toEqual([large]);
});

test('a stored output is a ref in the state, counts its items, and must be loaded before it is used', () => {
  const writing = new LoadedOutputs();
  writing.add(ref, large);
  const carried = writing.compact(state);
  expect(carried.outputs).toEqual({ one: small, two: { stored: ref, items: 1 } });
  expect(outputsToStore(carried)).toEqual([]);
  expect(['one', 'two', 'three'].map((name) => countItems(carried.outputs[name]))).toEqual([1, 1, 0]);
  expect(writing.filled(carried)).toEqual(state);

  // The next execution has the state, but not the values.
  const reading = new LoadedOutputs();
  expect(resolveReference(relay, reading.filled(carried), 'steps.one.output')).toBe('short');
  expect(() => resolveReference(relay, reading.filled(carried), 'steps.two.output')).toThrow(OutputNotLoadedError);
  reading.add(ref, large);
  expect(resolveReference(relay, reading.filled(carried), 'steps.two.output')).toBe('x'.repeat(5_000));
  expect(reading.compact(reading.filled(carried))).toEqual(carried);
});
