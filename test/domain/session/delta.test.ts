import { applyDelta, applyEvents } from '../../../domain/session';
import { changesSince, deltaBetween } from '../../../domain/session/delta';
import { DeltaMismatchError } from '../../../domain/session/session-errors';
import { after, called, event, note, schema, steps } from './support';

const older = after(...Array.from({ length: 500 }, (_, index) => called('grep', `c${index}`)), steps('a', 'b', 'c'));

test('a delta contains only the changed step and the newest call, even where the oldest call is dropped', () => {
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

test('a delta without changes contains only the version', () => {
  const again = applyEvents(schema, after(note('a')), [note('a')]).session;
  expect(deltaBetween(after(note('a')), again)).toEqual({ from: 1, to: 2, slices: {} });
  expect(changesSince([], again, 2)).toEqual({ from: 2, to: 2, slices: {} });
});

test('a delta applies only to the version that it starts from', () => {
  const delta = deltaBetween(older, applyEvents(schema, older, [note('a')]).session);
  expect(() => applyDelta(after(note('a')), delta)).toThrow(DeltaMismatchError);
});

test('for a version that is too old, the whole session is sent', () => {
  expect(changesSince([after(note('a'))], older, 3)).toBeUndefined();
});
