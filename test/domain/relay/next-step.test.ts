import type { Json } from '../../../domain/kernel';
import {
  advanceAfterItems,
  initialRelayState,
  nextMove,
  type RelayDefinition,
  type RelayMove,
  type RelayState,
  selectedPaths,
  selectOutput,
} from '../../../domain/relay';
import { feature, goal, relayOf } from './samples';

type Say = (step: string, index: number, round: number) => Json;

/** Plays a relay to its end with these final messages, and returns a line for every step. */
function play(relay: RelayDefinition, say: Say): { moves: string[]; end: RelayMove; state: RelayState } {
  let state = initialRelayState('G');
  const moves: string[] = [];
  for (;;) {
    const move = nextMove(relay, state);
    if (move.kind !== 'run') return { moves, end: move, state };
    const paths = selectedPaths(relay, move.step);
    moves.push(`${move.step.name} ${move.round}: ${move.items.map(({ input }) => JSON.stringify(input)).join(' | ')}`);
    const said = move.items.map(({ index }) => selectOutput(say(move.step.name, index, move.round), paths));
    // The state must survive serialization by Temporal.
    state = JSON.parse(JSON.stringify(advanceAfterItems(relay, state, said))) as RelayState;
  }
}

const plan = { goal: 'G', step: [{ id: 's1' }, { id: 's2' }] };

describe('a relay', () => {
  test('fans out over the list of an earlier step, one item after the other, and collects their outputs', () => {
    const { moves, end } = play(feature, (step, index) =>
      step === 'plan' ? plan : step === 'execute' ? { summary: `did ${index}`, other: 1 } : { verdict: 'pass' },
    );
    expect(moves).toEqual([
      'plan 1: {"goal":"G"}',
      'execute 1: {"goal":"G","step":"s1"}',
      'execute 1: {"goal":"G","step":"s2"}',
      'verify 1: {"goal":"G","report":"did 0\\ndid 1"}',
    ]);
    expect(end).toEqual({ kind: 'finish' });
  });

  test('loops back with feedback after a failed verification, and passes it to no other step', () => {
    const { moves, end } = play(feature, (step, _, round) => {
      if (step === 'plan') return plan;
      if (step === 'execute') return { summary: `round ${round}` };
      return round === 1 ? { verdict: 'fail', findings: ['a', { place: 'b:1' }] } : { verdict: 'pass', findings: [] };
    });
    expect(moves.slice(4)).toEqual([
      'execute 2: {"goal":"G","step":"s1","feedback":"a\\n{\\"place\\":\\"b:1\\"}"}',
      'execute 2: {"goal":"G","step":"s2","feedback":"a\\n{\\"place\\":\\"b:1\\"}"}',
      'verify 2: {"goal":"G","report":"round 2\\nround 2"}',
    ]);
    expect(end).toEqual({ kind: 'finish' });
  });

  test('loops back only up to its limit, then fails and says so', () => {
    const { moves, end } = play(feature, (step) =>
      step === 'plan' ? plan : step === 'execute' ? { summary: '' } : { verdict: 'fail', findings: [] },
    );
    expect(moves.filter((move) => move.startsWith('verify'))).toHaveLength(3);
    expect(end).toEqual({
      kind: 'fail',
      message: 'Step "verify" reached its loop limit (2), and steps.verify.output.verdict is still "fail".',
    });
  });

  test('keeps only those parts of a final message that it refers to', () => {
    const { state } = play(feature, (step) =>
      step === 'plan' ? { ...plan, chat: 'long' } : { summary: 's', secret: 'x', verdict: 'pass' },
    );
    expect(JSON.stringify(state.outputs)).not.toMatch(/long|secret/);
  });

  test('runs parallel items concurrently', () => {
    const relay = relayOf([
      { name: 'a', skill: 's', input: {} },
      { name: 'b', skill: 's', each: { from: 'steps.a.output.list' }, parallel: true, input: { x: { from: 'each' } } },
    ]);
    const { moves } = play(relay, () => ({ list: [1, { y: 2 }] }));
    expect(moves[1]).toBe('b 1: {"x":1} | {"x":{"y":2}}');
  });

  test('skips a fan-out whose list is empty', () => {
    const { moves, end } = play(feature, (step) => (step === 'plan' ? { step: [] } : { verdict: 'pass' }));
    expect(moves).toEqual(['plan 1: {"goal":"G"}', 'verify 1: {"goal":"G","report":""}']);
    expect(end.kind).toBe('finish');
  });

  test('loops back when one of several verdicts matches', () => {
    const relay = relayOf([
      { name: 'a', skill: 's', input: { list: [1, 2] } },
      {
        name: 'b',
        skill: 's',
        each: { from: 'steps.a.output' },
        parallel: true,
        input: {},
        loop: { when: { from: 'steps.b.output[*].verdict', equals: 'fail' }, to: 'b', max: 1 },
      },
    ]);
    const { moves, end } = play(relay, (step, index, round) =>
      step === 'a' ? [1, 2] : { verdict: round === 1 && index === 1 ? 'fail' : 'pass' },
    );
    expect(moves.map((move) => move.split(':')[0])).toEqual(['a 1', 'b 1', 'b 2']);
    expect(end.kind).toBe('finish');
  });
});

describe('a relay fails, and says why,', () => {
  const fan = (more: object): RelayDefinition =>
    relayOf([
      { name: 'a', skill: 's', input: goal },
      { name: 'b', skill: 's', each: { from: 'steps.a.output.list' }, input: {}, ...more },
    ]);
  const endOf = (relay: RelayDefinition, said: Json): RelayMove => play(relay, () => said).end;

  test.each<[string, RelayDefinition, Json, string]>([
    [
      'when a fan-out has no list',
      fan({}),
      { list: 'x' },
      'Step "b" can\'t be run: steps.a.output.list is not a list.',
    ],
    ['when there is nothing to fan out over', fan({}), {}, 'Step "b" can\'t be run: steps.a.output.list has no value.'],
    [
      'when there are more items than it allows',
      fan({ maxItems: 2 }),
      { list: [1, 2, 3] },
      'Step "b" can\'t be run: steps.a.output.list has 3 entries; the limit is 2.',
    ],
    [
      'when an input is not there',
      fan({ input: { x: { from: 'each.id' } } }),
      { list: [{}] },
      'Step "b" can\'t be run: its input can\'t be built: x: each.id has no value.',
    ],
    [
      'when an input is a document',
      fan({ input: { x: { from: 'each' } } }),
      { list: ['x'.repeat(20_000)] },
      'Step "b" can\'t be run: its input can\'t be built: it is 20008 bytes; the limit is 16384. Pass longer texts as artifacts.',
    ],
  ])('%s', (_, relay, said, message) => {
    expect(endOf(relay, said)).toEqual({ kind: 'fail', message });
  });

  test('when a verdict is missing', () => {
    const { end } = play(feature, (step) => (step === 'plan' ? { step: [] } : 'no object'));
    expect(end).toMatchObject({
      message: 'The loop condition of step "verify" can\'t be evaluated: steps.verify.output.verdict has no value.',
    });
  });

  test('but omits optional input that has no value', () => {
    const relay = fan({ input: { x: { from: 'each.id', optional: true } } });
    expect(play(relay, () => ({ list: [{}] })).moves[1]).toBe('b 1: {}');
  });
});
