import { repairRequest } from '../../../../domain/agent';
import { checkOutput, restoreStopSequence, stopSequences } from '../../../../domain/prompt/output';
import { plan, respond, step } from './support';

test('only an answer in XML has a stop sequence', () => {
  expect(stopSequences(plan)).toEqual(['</response>']);
  expect(stopSequences({ json: { type: 'object' } })).toEqual([]);
});

test('the stop sequence is restored, and the answer is accepted', () => {
  const whole = respond(`<goal>g</goal>${step}`);
  const cut = whole.slice(0, -'</response>'.length);
  expect(restoreStopSequence(plan, cut)).toBe(whole);
  expect(checkOutput(plan, restoreStopSequence(plan, cut)).ok).toBe(true);
});

test('an answer that has no stop sequence is unchanged', () => {
  expect(restoreStopSequence({ json: { type: 'object' } }, '{}')).toBe('{}');
});

test('the repair quotes the violation', () => {
  expect(repairRequest('response/plan: <goal> is missing. Add it.')).toContain(
    '\nresponse/plan: <goal> is missing. Add it.\n',
  );
});
