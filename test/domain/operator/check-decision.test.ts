import { firstIssue } from '../../../domain/kernel';
import {
  actionsFor,
  checkDecision,
  checkSteering,
  type DecisionRecord,
  type Incident,
  type OperatorDecision,
  operatorDecisionContract,
  steerContract,
} from '../../../domain/operator';

const failed: Incident = {
  id: 'i1',
  kind: 'failure',
  type: 'Model.Unauthorized',
  message: 'no key',
  since: '2026-11-16T00:00:00.000Z',
  attempt: 1,
  step: 'turn 2',
  delegation: null,
  tool: null,
};
const lost: Incident = { ...failed, id: 'i2', type: 'Delegation.Closed', delegation: 'abc' };
const wish: Incident = { ...failed, id: 'i3', kind: 'toolRequest', type: 'Tool.Requested', tool: 'grep' };
const taken: DecisionRecord = {
  incident: 'i0',
  action: 'retry',
  by: 'ann',
  note: '',
  at: '2026-11-16T01:00:00.000Z',
};
const desk = { open: [failed, lost, wish], taken: [taken], unheard: [] };
const check = (value: unknown, more: Partial<typeof desk> = {}): string | undefined => {
  const { data, error } = operatorDecisionContract.input.safeParse(value);
  if (data !== undefined) return checkDecision(data, { ...desk, ...more });
  const { field, reason } = firstIssue(error);
  return `${field}: ${reason}`;
};
const amend = (amendment: unknown): unknown => ({ action: 'amend', incident: 'i1', amendment });

describe('a decision', () => {
  test.each<OperatorDecision>([
    { action: 'retry', incident: 'i1' },
    { action: 'retry', incident: 'i2', note: 'again', by: 'ann' },
    { action: 'skip', incident: 'i1', placeholder: 'Nothing.' },
    { action: 'abort', incident: 'i2' },
    { action: 'approve', incident: 'i3' },
    { action: 'deny', incident: 'i3', note: 'no' },
    { action: 'amend', incident: 'i1', amendment: { instructions: 'Be brief.' } },
    { action: 'amend', incident: 'i1', amendment: { model: { name: 'mine', window: 10_000 } } },
    { action: 'amend', incident: 'i1', amendment: { tools: { grant: ['grep'], revoke: ['write_file'] } } },
  ])('that applies to its incident is accepted: $action for $incident', (decision) => {
    expect(check(decision)).toBeUndefined();
  });

  test.each([
    ['nothing at all', undefined, /^input: /],
    ['an action that does not exist', { action: 'explode', incident: 'i1' }, /^action: /],
    ['no incident', { action: 'retry' }, /^incident: /],
    ['a skip without a result', { action: 'skip', incident: 'i1' }, /^placeholder: /],
    ['a retry with something else in it', { action: 'retry', incident: 'i1', x: 1 }, /x/],
    [
      'an incident that is not there',
      { action: 'retry', incident: 'i9' },
      /i9 is not an open incident\. Open: i1 \(Model/,
    ],
    ['one that was answered', { action: 'abort', incident: 'i0' }, /already answered: retry by ann at 2026-11-16T01/],
    ['an approval of a failure', { action: 'approve', incident: 'i1' }, /Use retry, amend, skip, abort\./],
    ['a retry of a request', { action: 'retry', incident: 'i3' }, /Use approve, deny\./],
    ['an amendment of what is gone', { ...Object(amend({ budget: {} })), incident: 'i2' }, /Use retry, skip, abort\./],
    ['an amendment of nothing', amend({}), /^amendment: must change something/],
    ['an amendment with an unknown field', amend({ temperature: 1 }), /^amendment: .*temperature/],
    ['a budget below nothing', amend({ budget: { tokens: -1 } }), /^amendment\.budget\.tokens: /],
    [
      'a model that nobody knows',
      amend({ model: { name: 'gpt-1' } }),
      /^amendment\.model\.model: "gpt-1" is not a known/,
    ],
    [
      'a tool that comes and goes',
      amend({ tools: { grant: ['a'], revoke: ['a'] } }),
      /a cannot be granted and revoked/,
    ],
  ])('is refused with a reason: %s', (_, decision, reason) => {
    expect(check(decision)).toMatch(reason);
  });

  test('without an open incident is refused', () => {
    expect(check({ action: 'retry', incident: 'i1' }, { open: [], taken: [] })).toBe(
      'incident: this agent has no open incident, so i1 cannot be answered.',
    );
  });

  test('sends the model no more than fits into one turn', () => {
    const unheard = ['x'.repeat(3_000)];
    expect(check(amend({ instructions: 'x'.repeat(1_000) }), { unheard: unheard as never })).toBeUndefined();
    expect(check(amend({ instructions: 'x'.repeat(1_001) }), { unheard: unheard as never })).toMatch(
      /^amendment\.instructions: .* at most 4000 characters .* 3000 are already waiting/,
    );
  });
});

test('the possible decisions depend on the incident', () => {
  expect(actionsFor(failed)).toEqual(['retry', 'amend', 'skip', 'abort']);
  expect(actionsFor(lost)).toEqual(['retry', 'skip', 'abort']);
  expect(actionsFor(wish)).toEqual(['approve', 'deny']);
});

describe('steering', () => {
  test('requires a text that is not too long', () => {
    expect(checkSteering('Look.', [])).toBeUndefined();
    expect(checkSteering(' \n', [])).toBe('text: must not be empty.');
    expect(checkSteering('x'.repeat(4_001), [])).toMatch(/at most 4000 characters to the model\. Shorten/);
    expect(checkSteering('x'.repeat(2_001), ['x'.repeat(2_000)])).toMatch(/2000 are already waiting/);
    for (const wrong of [undefined, {}, { text: 7 }]) expect(steerContract.input.safeParse(wrong).success).toBe(false);
  });
});
