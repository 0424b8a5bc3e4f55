import { ApplicationFailure } from '@temporalio/common';
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

test('the worker prints a stack for a bug, and none for the end of a workflow, which has lost its type on the way', () => {
  const printed: string[] = [];
  const logger = plainLogger('INFO', new FailingTaskWarnings(), (line) => printed.push(line));
  const unknown = ApplicationFailure.nonRetryable('Unknown skill "x"', 'Input.Invalid');
  logger.warn('Workflow failed', { error: structuredClone(unknown) });
  logger.warn('Activity failed', { error: unknown });
  expect(printed).toEqual([
    String.raw`WARN Workflow failed {"error":"Unknown skill \"x\""}`,
    String.raw`WARN Activity failed {"error":"Input.Invalid: Unknown skill \"x\""}`,
  ]);
  const misspelt = "Failed to initialize workflow of type 'nope': no such function is exported by the workflow bundle";
  logger.error('Failed to process Workflow Activation', { error: new TypeError(misspelt) });
  expect(printed.slice(2)).toEqual([`ERROR Failed to process Workflow Activation {"error":"${misspelt}"}`]);
  logger.warn('Activity failed', { error: new TypeError('x is not a function') });
  expect(printed.at(-1)).toMatch(/^TypeError: x is not a function\n +at /);
});
