import { formatSegments, parseRelay } from '../../../domain/relay';
import { parseSegments, valuesAtPath } from '../../../domain/relay/references';
import { feature, goal, problemsOf, relayOf } from './samples';

const step = (more: object): object => ({ name: 'a', skill: 's', input: goal, ...more });

describe('a relay definition', () => {
  test('is unchanged when it is parsed again', () => {
    expect(parseRelay(JSON.parse(JSON.stringify(feature)))).toEqual({ ok: true, relay: feature });
  });

  test('accepts literals directly, and objects as {value}', () => {
    const relay = relayOf([step({ input: { a: 'goal', b: [1, 'x'], c: null, d: { value: { from: 'x' } } } })]);
    expect(relay.steps[0]?.input).toEqual({
      a: { value: 'goal' },
      b: { value: [1, 'x'] },
      c: { value: null },
      d: { value: { from: 'x' } },
    });
  });

  test('is refused with all its problems at once, each with its place', () => {
    expect(
      problemsOf([
        step({ parallel: true }),
        step({ input: { x: { from: 'steps.later.output' }, y: { from: 'each.id' } } }),
        {
          name: 'later',
          skill: 's',
          input: {},
          loop: {
            when: { from: 'goal', equals: 'x' },
            to: 'nowhere',
            max: 1,
            feedback: { f: { from: 'steps.b.output' } },
          },
        },
      ]),
    ).toEqual([
      'steps.0.parallel: requires each',
      'steps.1.name: "a" is already the name of a step',
      'steps.1.input.x.from: "later" is not an earlier step. Available: a.',
      'steps.1.input.y.from: each is available only in the input of a step that declares each',
      'steps.2.loop.feedback.f.from: "b" is not an earlier step. Available: a, a, later.',
      'steps.2.loop.to: must be this step or an earlier step: a, a, later',
      'steps.2.loop.when.from: must be the output of a step',
    ]);
  });

  test.each([
    ['an unknown field', step({ colour: 1 }), 'steps.0.colour: unknown field'],
    [
      'a reference that is none',
      step({ input: { x: { from: 'steps.a.chat' } } }),
      /^steps\.0\.input\.x\.from: must be goal, each/,
    ],
    [
      'an unknown field in a reference',
      step({ input: { x: { from: 'goal', to: 1 } } }),
      'steps.0.input.x.to: unknown field',
    ],
    [
      'a loop without end',
      step({ loop: { when: { from: 'steps.a.output', equals: 1 }, to: 'a', max: 1e6 } }),
      /^steps\.0\.loop\.max: /,
    ],
    ['an artifact outside', step({ artifacts: ['../x'] }), 'steps.0.artifacts.0: must be a file name such as PLAN.md'],
    ['a fan-out over no list', step({ each: { from: 'goal' } }), 'steps.0.each.from: must be the output of a step'],
  ])('is refused with %s', (_, wrong, problem) => {
    expect(problemsOf([wrong])).toEqual([typeof problem === 'string' ? problem : expect.stringMatching(problem)]);
  });

  test('must say which item of a fan-out it refers to', () => {
    const [plan, execute] = feature.steps;
    const last = { name: 'z', skill: 's', input: { x: { from: 'steps.execute.output.summary' } } };
    expect(problemsOf([plan!, execute!, last])).toEqual([
      'steps.2.input.x.from: "execute" has one output per item. Write steps.execute.output[*].summary',
    ]);
  });
});

describe('a path', () => {
  test.each(['', '.a', '.a-b_c[0].d', '[*].x[*][3]'])('%p is parsed and formatted unchanged', (text) => {
    expect(formatSegments(parseSegments(text)!)).toBe(text);
  });

  test.each(['a', '.', '.1', '[-1]', '[x]', '.a..b', '.a b', '["x"]', '.a()', '[9999999]'])('%p is invalid', (text) => {
    expect(parseSegments(text)).toBeUndefined();
  });

  test('finds every match, but no inherited properties', () => {
    const value = { a: [{ b: [1, 2] }, { c: 0 }, { b: [3] }] };
    expect(valuesAtPath(value, parseSegments('.a[*].b[*]')!)).toEqual([1, 2, 3]);
    expect(valuesAtPath(value, parseSegments('.a[2].b')!)).toEqual([[3]]);
    for (const path of ['.constructor', '.a.length', '.__proto__', '.a[7]', '[0]'])
      expect(valuesAtPath(value, parseSegments(path)!)).toEqual([]);
  });
});
