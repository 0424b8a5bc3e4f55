import { FailingTaskWarnings } from '../../worker/failing-tasks';
import { plainLogger } from '../../worker/plain-logger';

test('the worker prints every field of a line, and objects as JSON', () => {
  const printed: string[] = [];
  const logger = plainLogger('INFO', new FailingTaskWarnings(), (line) => printed.push(line));
  logger.warn('Refused', { delegationId: 'd1', error: { field: 'instructions', reason: 'it is empty' } });
  expect(printed).toEqual([
    'WARN Refused {"delegationId":"d1","error":{"field":"instructions","reason":"it is empty"}}',
  ]);
});
