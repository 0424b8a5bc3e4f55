import {
  boundedIncident,
  checkDecision,
  checkSteering,
  emptyOperatorState,
  formatRetryReason,
  listIncidents,
  parseRetryReason,
} from '../../../domain/operator';
import { type DecisionRecord, type Incident, withDecision, withSteering } from '../../../domain/operator';
import { maxIncidentMessage, maxKeptDecisions, maxListedIncidents } from '../../../domain/operator/operator-state';

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
const thousands = Array.from({ length: 5_000 }, (_, index) => index + 1);
const incident = (number: number): Incident => ({
  ...boundedIncident({ message: '日'.repeat(10_000) }),
  id: `i${number}`,
  kind: 'failure',
  type: 'Delegation.Closed',
  since: '2026-11-16T00:00:00.000Z',
  attempt: 1,
  step: `delegation ${number}`,
  delegation: String(number),
  tool: null,
});
const decision = (number: number): DecisionRecord => ({
  incident: `i${number}`,
  action: 'retry',
  by: '日'.repeat(200),
  note: '日'.repeat(4_000),
  at: '2026-11-16T00:00:00.000Z',
});

test('thousands of the largest possible decisions leave the newest in a state of bounded size', () => {
  const state = thousands.map(decision).reduce(withDecision, emptyOperatorState);
  expect(state.decisions).toHaveLength(maxKeptDecisions);
  expect(state.decisions.at(-1)?.incident).toBe('i5000');
  expect(bytesOf(state)).toBeLessThan(300 * 1024);
});

test('steering beyond the limit is refused in words, and what was accepted stays queued', () => {
  let state = emptyOperatorState;
  const refusals: string[] = [];
  for (const number of thousands) {
    const text = `Message ${number}: ${'日'.repeat(500)}`;
    const problem = checkSteering(text, state.steering);
    if (problem === undefined) state = withSteering(state, text);
    else refusals.push(problem);
  }
  expect(state.steering.map((text) => /^Message \d+/.exec(text)?.[0])).toEqual(
    [1, 2, 3, 4, 5, 6, 7].map((number) => `Message ${number}`),
  );
  expect(refusals).toHaveLength(thousands.length - 7);
  expect(refusals[0]).toBe(
    'text: the next turn can send at most 4000 characters to the model, and 3577 are already waiting. Shorten the text.',
  );
  expect(bytesOf(state)).toBeLessThan(16 * 1024);
});

test('a status lists the oldest of thousands of incidents, and says how many there are beyond them', () => {
  const open = thousands.map(incident);
  const listed = listIncidents(open);
  expect(listed.incidents).toEqual(open.slice(0, maxListedIncidents));
  expect(listed.moreIncidents).toBe(thousands.length - maxListedIncidents);
  expect(listed.incidents[0]?.message).toHaveLength(maxIncidentMessage);
  expect(bytesOf(listed)).toBeLessThan(256 * 1024);
  expect(listIncidents(open.slice(0, 3))).toEqual({ incidents: open.slice(0, 3) });
});

test('a refused decision names only some of thousands of open incidents', () => {
  const open = thousands.map(incident);
  const problem = checkDecision({ action: 'retry', incident: 'i9999' }, { open, taken: [], unheard: [] });
  expect(problem).toMatch(
    /^incident: i9999 is not an open incident\. Open: i1 \(Delegation\.Closed\), .* and 4980 more\.$/,
  );
  // Every one of them can still be answered.
  for (const id of ['i1', 'i5000'])
    expect(checkDecision({ action: 'retry', incident: id }, { open, taken: [], unheard: [] })).toBeUndefined();
});

test('the reason of a reset carries the decision of a retry, and no other reason counts as one', () => {
  const retry = { by: 'ann', note: 'renewed', amendment: { budget: { turns: 5 } }, startAgain: ['d1'] };
  expect(parseRetryReason(formatRetryReason(retry))).toEqual(retry);
  expect(formatRetryReason({})).toBe('baton retry');
  expect(parseRetryReason(' baton retry ')).toEqual({});
  for (const reason of [
    '',
    'test',
    'baton retrying',
    'baton retry {"by":',
    'baton retry {"unknown":1}',
    'baton retry []',
  ])
    expect(parseRetryReason(reason)).toBeUndefined();
});
