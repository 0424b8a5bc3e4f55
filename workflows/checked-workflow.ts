import { type InputOf, InvalidInputError, type ResultOf, type WorkflowContract } from '../domain/kernel';
import { closingFailure } from './failures';
import { readSent } from './sent';

/**
 * Creates the function that the SDK calls to run a workflow. It checks the start argument, also that of continue-as-new,
 * and turns whatever is thrown into a failure that closes the workflow. A plain error would fail the workflow task, which
 * is retried forever, and not even a cancellation would end it: docs/decisions/workflow-boundary.md.
 */
export function checkedWorkflow<Contract extends WorkflowContract>(
  contract: Contract,
  run: (start: InputOf<Contract>) => Promise<ResultOf<Contract>>,
): (start: InputOf<Contract>) => Promise<ResultOf<Contract>> {
  return async (start) => {
    try {
      return await run(readStart(contract, start));
    } catch (error) {
      throw closingFailure(error);
    }
  };
}

function readStart<Contract extends WorkflowContract>({ input, name }: Contract, start: unknown): InputOf<Contract> {
  const sent = readSent<Contract['input']>(input, start);
  if (sent.ok) return sent.value;
  throw new InvalidInputError(sent.field, sent.reason, `Correct this value and start the ${name} again.`);
}
