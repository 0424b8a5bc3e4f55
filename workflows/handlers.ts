import { defineQuery, defineSignal, defineUpdate, log, setHandler } from '@temporalio/workflow';
import { DomainError, type InputOf, type MessageContract, type ResultOf } from '../domain/kernel';
import { closingFailure, failure } from './failures';
import { readSent } from './sent';

// The only place that registers handlers. Whatever a client sends is checked here, and nothing that a handler throws can
// fail the workflow task: docs/decisions/workflow-boundary.md.

/** What the Web UI says about a message. */
interface Described {
  readonly description: string;
}

/** Handles a Signal. One that does not match its contract is ignored, with a warning in the worker's log. */
export function handleSignal<Contract extends MessageContract<'signal'>>(
  { name, input }: Contract,
  handle: (sent: InputOf<Contract>) => void,
): void {
  setHandler(defineSignal<[argument: unknown]>(name), (argument) => {
    const sent = readSent<Contract['input']>(input, argument);
    if (!sent.ok) {
      log.warn(`Ignored the Signal ${name}: ${sent.field}: ${sent.reason}`);
      return;
    }
    try {
      handle(sent.value);
    } catch (error) {
      const level = error instanceof DomainError ? 'warn' : 'error';
      log[level](`Ignored the Signal ${name}, because handling it failed`, { error });
    }
  });
}

/** Handles an Update. One that does not match its contract, or that `check` refuses, is rejected without effect. */
export function handleUpdate<Contract extends MessageContract<'update'>>(
  contract: Contract,
  handle: (sent: InputOf<Contract>) => ResultOf<Contract> | Promise<ResultOf<Contract>>,
  {
    check,
    description,
  }: Described & {
    /** Returns why the Update is refused in the current state; undefined when it can be carried out. */
    readonly check?: (sent: InputOf<Contract>) => string | undefined;
  },
): void {
  setHandler(
    defineUpdate<ResultOf<Contract>, [argument: unknown]>(contract.name),
    // Checked again: a replay skips the validator.
    (argument) => failingTyped(() => handle(argumentOf(contract, argument))),
    {
      validator: (argument) => {
        const problem = check?.(argumentOf(contract, argument));
        if (problem !== undefined) throw failure('Input.Invalid', problem);
      },
      description,
    },
  );
}

/** Handles a Query. One whose argument does not match its contract fails. */
export function handleQuery<Contract extends MessageContract<'query'>>(
  contract: Contract,
  answer: (sent: InputOf<Contract>) => ResultOf<Contract>,
  { description }: Described,
): void {
  setHandler(
    defineQuery<ResultOf<Contract>, [argument: unknown]>(contract.name),
    (argument) => answer(argumentOf(contract, argument)),
    { description },
  );
}

function argumentOf<Contract extends MessageContract>({ input }: Contract, argument: unknown): InputOf<Contract> {
  const sent = readSent<Contract['input']>(input, argument);
  if (sent.ok) return sent.value;
  throw failure('Input.Invalid', `${sent.field}: ${sent.reason}`);
}

/** Rejects the Update with a failure, whatever is thrown. Not async, because every promise costs time. */
function failingTyped<T>(work: () => T | Promise<T>): T | Promise<T> {
  try {
    const done = work();
    return done instanceof Promise
      ? done.catch((error: unknown) => {
          throw closingFailure(error);
        })
      : done;
  } catch (error) {
    throw closingFailure(error);
  }
}
