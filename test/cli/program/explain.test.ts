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
    expect(explain(new BatonError(type, 'It went wrong.'))).toEqual({ output: 'It went wrong.', exitCode });
  });

  test('are printed with their remedy on a line of its own, and without a stack', () => {
    expect(explain(new NoMatchingIncidentError('licenses-7'))).toEqual({
      output: 'licenses-7 has no open incident.\nCheck its status with: baton why licenses-7',
      exitCode: 1,
    });
  });
});

test('an id that no run can have is wrong usage, and the message says which argument is meant', () => {
  expect(explain(thrownBy(() => parseAgentId('no such')))).toEqual({
    output:
      'run or agent: "no such" is not a valid id. Pass a run id, <run>/<delegation>, or a workflow id. List runs with: baton list',
    exitCode: 2,
  });
});

test('a command chooses its own exit code', () => {
  expect(explain(new CliError(exitCodes.interrupted, 'Stopped.')).exitCode).toBe(130);
});

test('a defect is printed with its stack', () => {
  const defect = new TypeError('x is undefined');
  expect(explain(defect)).toEqual({ output: defect, exitCode: 1 });
});
