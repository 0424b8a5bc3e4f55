import { applyDelta, applyEvents, changesSince, DeltaMismatchError, deltaBetween } from '../../../domain/session';
import { after, called, event, note, schema, steps } from './support';

const older = after(...Array.from({ length: 500 }, (_, index) => called('grep', `c${index}`)), steps('a', 'b', 'c'));

test('the change of one step and the newest call are all that travels, even where the oldest call is dropped', () => {
  const change = event('planStepChanged', { id: 'S002', status: 'done' });
  const newer = applyEvents(schema, older, [change, called('edit', 'c500')]).session;
  const delta = deltaBetween(older, newer);
  expect(delta).toEqual({
    from: 501,
    to: 503,
    slices: {
      plan: [{ keep: [0, 1] }, { add: [{ id: 'S002', title: 'b', status: 'done' }] }, { keep: [2, 1] }],
      toolCalls: [{ keep: [1, 499] }, { add: [{ tool: 'edit', callId: 'c500', isError: false, turn: 1 }] }],
      toolUse: [{ keep: [0, 1] }, { add: [{ tool: 'edit', calls: 1, errors: 0 }] }],
    },
  });
});

test('nothing changed: nothing travels but the version', () => {
  const again = applyEvents(schema, after(note('a')), [note('a')]).session;
  expect(deltaBetween(after(note('a')), again)).toEqual({ from: 1, to: 2, slices: {} });
  expect(changesSince([], again, 2)).toEqual({ from: 2, to: 2, slices: {} });
});

test('changes fit only the version they start from', () => {
  const delta = deltaBetween(older, applyEvents(schema, older, [note('a')]).session);
  expect(() => applyDelta(after(note('a')), delta)).toThrow(DeltaMismatchError);
});

test('a version that is no longer remembered needs the whole session', () => {
  expect(changesSince([after(note('a'))], older, 3)).toBeUndefined();
});
