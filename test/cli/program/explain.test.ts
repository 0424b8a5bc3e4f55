import { readFile } from 'node:fs/promises';
import { CliError, exitCodes } from '../../../cli/context';
import { explain } from '../../../cli/explain';
import { BatonError, type BatonErrorType, NoMatchingIncidentError } from '../../../client/client-errors';
import { parseAgentId } from '../../../domain/kernel';

function thrownBy(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

describe('errors of the library', () => {
  test.each<[BatonErrorType, number]>([
    ['Client.NotFound', 1],
    ['Client.NoWorkspace', 1],
    ['Client.NoIncident', 1],
    ['Client.Refused', 1],
    ['Client.Ambiguous', 2],
    ['Client.NotApplicable', 2],
    ['Client.InvalidCursor', 2],
    ['Client.NoWorker', 3],
  ])('%s ends the program with %i', (type, exitCode) => {
    expect(explain(new BatonError(type, 'It went wrong.'))).toEqual({ message: 'It went wrong.', type, exitCode });
  });

  test('come with a remedy', () => {
    expect(explain(new NoMatchingIncidentError('licenses-7'))).toEqual({
      message: 'licenses-7 has no open incident.',
      remedy: 'Check its status with: baton why licenses-7',
      type: 'Client.NoIncident',
      exitCode: 1,
    });
  });
});

test('an id that no run can have is wrong usage, and the message says which argument is meant', () => {
  expect(explain(thrownBy(() => parseAgentId('no such')))).toEqual({
    message:
      'run or agent: "no such" is not a valid id. Pass a run id, <run>/<delegation>, or a workflow id. List runs with: baton list',
    type: 'Input.Invalid',
    exitCode: 2,
  });
});

test('a command chooses its own exit code', () => {
  expect(explain(new CliError(exitCodes.interrupted, 'Stopped.')).exitCode).toBe(130);
});

test('a defect is named, and its stack is kept apart from the message', () => {
  const defect = new TypeError('x is undefined');
  expect(explain(defect)).toEqual({
    message: 'Baton failed unexpectedly: TypeError: x is undefined',
    remedy: 'This is a defect in Baton. Set BATON_LOG_LEVEL=DEBUG to see where it happened, and report it.',
    stack: defect.stack,
    exitCode: 1,
  });
});

test('a refusal of the operating system is not a defect', async () => {
  const refusal = await readFile('/nowhere/at/all').catch((error: unknown) => error);
  expect(explain(refusal)).toEqual({
    message: "ENOENT: no such file or directory, open '/nowhere/at/all'",
    remedy: 'Check the path, its permissions and the disk.',
    exitCode: 1,
  });
});
