import { defaultLimits } from '../../../domain/agent';
import {
  type AgentEnvironment,
  describeDeadline,
  describeEnvironment,
} from '../../../domain/delegation/prepare/environment';
import { maxOpeningTokens } from '../../../domain/handoff';
import { largestPart } from '../../../domain/prompt';
import { tool } from './samples';

const at = '2026-01-02T03:04:05.000Z';
const deadline = '2026-01-02T05:04:06.000Z';
const facts = (more: Partial<AgentEnvironment> = {}): AgentEnvironment => ({
  at,
  settings: { limits: defaultLimits },
  depth: 1,
  tools: [],
  deferred: 0,
  workspace: null,
  unspent: {},
  ...more,
});

describe('the deadline in a prompt', () => {
  const run = { settings: { limits: defaultLimits, deadline }, millisecondsLeft: 7_201_000 };
  const ofRun = `${deadline} (2 hours 1 second left at ${at})`;

  test.each<[string, Partial<AgentEnvironment>, string]>([
    ['neither', {}, 'none'],
    ['the run', run, ofRun],
    ['the skill', { own: { deadlineSeconds: 90 } }, '1 minute 30 seconds after this agent starts'],
    [
      'both, the skill first',
      { ...run, own: { deadlineSeconds: 86_400 / 24 } },
      `1 hour after this agent starts, but no later than ${ofRun}`,
    ],
    ['both, the run certainly first', { ...run, own: { deadlineSeconds: 7_201 } }, ofRun],
    ['a deadline that has passed', { ...run, millisecondsLeft: -5 }, `${deadline} (0 seconds left at ${at})`],
  ])('of %s', (_, more, expected) => {
    expect(describeDeadline(facts(more))).toBe(expected);
  });
});

describe('the environment in a prompt', () => {
  const scope = 'for this agent and all agents below it together';

  test.each<[string, Partial<AgentEnvironment>, string | RegExp]>([
    ['without any limit', {}, 'not limited.'],
    ['with the limit of a skill only', { own: { budgetTokens: 5_000 } }, `5,000 tokens ${scope}.`],
    ['of a run', { unspent: { microUsd: 1_500_000, turns: 1 } }, /^at most \$1\.50?\S*, 1 model call, for this agent/],
    ['of both', { unspent: { tokens: 1_000_000 }, own: { budgetTokens: 5_000 } }, /^at most 5,000 tokens, for this/],
  ])('has a budget %s', (_, more, expected) => {
    expect(describeEnvironment(facts(more)).budget).toMatch(expected);
  });

  test('says nothing about a budget that is not known', () => {
    expect(describeEnvironment(facts({ unspent: undefined }))).not.toHaveProperty('budget');
  });

  test('says that there are no files, or how many, and how many have no content', () => {
    expect(describeEnvironment(facts())).toMatchObject({ workspace: 'none: this run has no files.' });
    expect(describeEnvironment(facts())).not.toHaveProperty('workingDirectory');
    const workspace = { files: 1, bytes: 1_234_567, unread: 2 };
    expect(describeEnvironment(facts({ workspace })).workspace).toMatch(
      new RegExp(`: 1 file, 1,234,567 bytes at ${at}\\. 2 more files too large or not readable`),
    );
  });

  test('names the levels of delegation only for an agent that has a tool for it', () => {
    const limits = (more: Partial<AgentEnvironment>): string | undefined =>
      describeEnvironment(facts(more)).rateLimits?.[2];
    const tools = [tool('dispatch_skill')];
    expect(limits({ tools })).toContain('on 2 levels below this agent.');
    expect(limits({ tools, depth: 3 })).toBe('No delegations.');
    expect(limits({ tools: [tool('grep')] })).toBe('No delegations.');
  });
});

describe('the size of a prompt', () => {
  test('must leave a tenth of the handoff threshold, and room for the longest reply', () => {
    const model = { name: 'm', maxTokens: 1_000, window: 100_000 };
    expect(maxOpeningTokens({ model })).toBe(54_000);
    expect(maxOpeningTokens({ model, handoff: { at: 1, max: 1 } })).toBe(90_000);
    expect(maxOpeningTokens({ model: { ...model, maxTokens: 70_000 } })).toBe(30_000);
  });

  test('is described by its largest part, apart from the transcript inside the parent prompt', () => {
    const sections = (transcript: number) => [
      { path: ['delegation-1', 'delegation-overview'], start: 0, end: 10 },
      { path: ['delegation-1', 'parent-prompt'], start: 10, end: 110 + transcript },
      { path: ['task'], start: 20, end: 100 },
      { path: ['transcript'], start: 100, end: 100 + transcript },
      { path: ['delegation-1', 'delegation-details'], start: 110 + transcript, end: 150 + transcript },
    ];
    expect(largestPart(sections(500), 650)).toMatchObject({ name: "the parent's transcript", bytes: 500 });
    expect(largestPart(sections(50), 200)).toMatchObject({ name: 'the parent prompt', bytes: 100 });
    expect(largestPart([], 200)).toMatchObject({ name: 'the whole prompt', bytes: 200 });
  });
});
