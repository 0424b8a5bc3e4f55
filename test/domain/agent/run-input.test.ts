import {
  areComplete,
  assumedSettings,
  completeSettings,
  defaultLimits,
  parseOpenRun,
  parseRunInput,
  rootMemo,
  rootTitle,
} from '../../../domain/agent';
import { closestName, InvalidInputError } from '../../../domain/kernel';

const model = { name: 'claude-sonnet-5-5', maxTokens: 1_000, window: 200_000 };
const limits = { ...defaultLimits, maxTurns: 5 };
const complete = { runId: 'r1', model, limits, goal: 'x' };

describe('the settings of a run', () => {
  test('that are complete are used as they are, whatever the worker prefers', () => {
    expect(areComplete(complete)).toBe(true);
    expect(completeSettings(complete, { name: 'other', window: 5 })).toEqual({ runId: 'r1', model, limits });
    // Not even checked again: history has recorded them.
    const odd = { ...complete, model: { ...model, maxTokens: 300_000 } };
    expect(completeSettings(odd).model).toEqual(odd.model);
  });

  test('that are missing come from the worker, then from the defaults', () => {
    expect(areComplete({ runId: 'r1' })).toBe(false);
    expect(completeSettings({ runId: 'r1' })).toEqual({
      runId: 'r1',
      model: { name: 'claude-sonnet-5-5', maxTokens: 8_192, window: 200_000 },
      limits: defaultLimits,
    });
    const preferred = { name: 'acme', maxTokens: 100, window: 9_000, temperature: 0 };
    expect(completeSettings({ runId: 'r1', limits: { maxTurns: 5 }, holdMs: 2_000 }, preferred)).toEqual({
      runId: 'r1',
      model: preferred,
      limits,
      holdMs: 2_000,
    });
  });

  test('of another model than the worker’s don’t have the worker’s context window', () => {
    const preferred = { name: 'acme', window: 9_000 };
    expect(completeSettings({ runId: 'r1', model: { name: 'claude-opus-5' } }, preferred).model.window).toBe(200_000);
    expect(completeSettings({ runId: 'r1', model: { name: 'acme' } }, { ...preferred, maxTokens: 9 }).model).toEqual({
      name: 'acme',
      maxTokens: 9,
      window: 9_000,
    });
    expect(() => completeSettings({ runId: 'r1', model: { name: 'unheard-of' } }, preferred)).toThrow(
      InvalidInputError,
    );
  });

  test('with a budget in dollars need a model whose price is known', () => {
    const requested = { runId: 'r1', budget: { microUsd: 5 } };
    const acme = { name: 'acme', window: 9_000, maxTokens: 9 };
    expect(() => completeSettings(requested, acme)).toThrow(/^budget\.microUsd: the price of "acme" is unknown/);
    const price = { input: 1, cacheRead: 1, cacheWrite: 1, output: 1 };
    expect(completeSettings({ ...requested, prices: { acme: price } }, acme).budget).toEqual({ microUsd: 5 });
  });

  test('are assumed until the run is opened, without a claim about the model, and never fail', () => {
    expect(assumedSettings({ runId: 'r1', model: { name: 'unheard-of' } }).model.name).toBe('unheard-of');
    expect(assumedSettings({ runId: 'r1' }).model.name).toBe('chosen by the worker');
    expect(assumedSettings(complete)).toEqual({ runId: 'r1', model, limits });
  });
});

describe('the input of a run', () => {
  test('says what its root works on, once', () => {
    const { goal: _, ...settings } = complete;
    expect(() => parseRunInput(settings)).toThrow('goal: is required unless there is a prompt or a skill');
    expect(parseRunInput({ ...settings, skill: { name: 's' } })).toEqual({ ...settings, skill: { name: 's' } });
    const both = { ...settings, skill: { name: 's' }, prompt: { ns: 'a', key: 'b' } };
    expect(() => parseRunInput(both)).toThrow('skill: a run has a prompt or a skill, not both');
    expect(() => parseOpenRun({ runId: 'r1', prompt: { ns: 'a' } })).toThrow(/^prompt\.key: /);
    expect(() => parseOpenRun({ runId: 'r1', prompt: { ns: 'a', key: 'b', parameters: { x: 1 } } })).toThrow(
      /^prompt\.parameters\.x: /,
    );
  });

  test('is described in one line by its prompt, skill or relay, and its goal', () => {
    const titleOf = (...input: Parameters<typeof rootMemo>): string => rootTitle(rootMemo(...input));
    expect(titleOf({ goal: ' Add OAuth.\nSoon.' })).toBe('Add OAuth.');
    expect(titleOf({ goal: 'Add OAuth.' }, 'feature')).toBe('feature: Add OAuth.');
    expect(titleOf({ skill: { name: 'researcher', input: { goal: 'How?' } } })).toBe('researcher: How?');
    expect(titleOf({ skill: { name: 'counter', input: { goal: 7 } } })).toBe('counter');
    expect(titleOf({ prompt: { ns: 'acme', key: 'reviewer' } })).toBe('acme/reviewer');
    expect(rootMemo({ goal: 'x'.repeat(300) }).goal).toHaveLength(200);
  });
});

test('a misspelled name is recognized, and another name is not', () => {
  const names = ['researcher', 'planner', 'executor', 'go'];
  expect(['reseacher', 'Planer', 'executer', 'gp'].map((name) => closestName(name, names))).toEqual(names);
  expect(['wizard', '', 'x'.repeat(10_000)].map((name) => closestName(name, names))).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
