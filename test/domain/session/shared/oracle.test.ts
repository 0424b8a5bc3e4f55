import * as fc from 'fast-check';
import { recordsOf } from '../../../../domain/session';
import { ticksSlice } from './support';
import { World, type Step, type Wish } from './world';

const writers = 4;
const writer = fc.nat(writers - 1);
const wish: fc.Arbitrary<Wish> = fc.oneof(
  fc.record({ kind: fc.constantFrom('note', 'step', 'explode') }),
  fc.record({
    kind: fc.constantFrom('stepDone', 'artifact', 'claim', 'file'),
    which: fc.nat(2),
    blind: fc.boolean(),
  }),
);
const write: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('write'),
  writer,
  wishes: fc.array(wish, { maxLength: 3 }),
  lost: fc.boolean(),
});
const trouble: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constantFrom('again', 'skip', 'altered', 'zombie', 'late'), writer, pick: fc.nat(20) }),
  fc.record({ kind: fc.constant('reset'), writer, pick: fc.nat(20), fromZero: fc.boolean() }),
  fc.record({ kind: fc.constant('continueAsNew') }),
);
const steps = fc.array(fc.oneof({ weight: 3, arbitrary: write }, { weight: 2, arbitrary: trouble }), {
  maxLength: 50,
  size: 'max',
});

test('a shared session equals a simple model of the same requests, whatever is repeated, lost, reset or continued', () => {
  fc.assert(
    fc.property(steps, (taken) => {
      const world = new World(writers);
      for (const step of taken) world.take(step);
      world.settle();
      const numbers = recordsOf(world.host.state.session, ticksSlice).map(({ number }) => number);
      expect(numbers).toEqual(world.accepted);
      expect(new Set(numbers).size).toBe(numbers.length);
    }),
    { numRuns: 100 },
  );
});

test('nothing is lost when every writer repeats unanswered requests, over any number of hosts', () => {
  const calm = steps.map((taken) => taken.filter(({ kind }) => kind === 'write' || kind === 'continueAsNew'));
  fc.assert(
    fc.property(calm, (taken) => {
      const world = new World(writers);
      for (const step of taken) world.take(step);
      world.settle();
      expect(world.accepted.sort((a, b) => a - b)).toEqual(world.accepted.map((_, index) => index));
    }),
    { numRuns: 40 },
  );
});
