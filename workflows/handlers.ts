import type { RawValue } from '@temporalio/common';
import { defineQuery, defineSignal, defineUpdate, log, setHandler } from '@temporalio/workflow';
import { DomainError, type InputOf, type MessageContract, type ResultOf } from '../domain/kernel';
import { closingFailure, failure } from './failures';
import { asSent, decodeAccepted, decodeOrRefuse, decodeSignal } from './foreign-messages';
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
  let earlier = 0;
  setHandler(defineSignal<[argument: RawValue | undefined]>(name, { typeInfo: asSent }), (argument) => {
    const decoded = decodeSignal(name, earlier++, argument);
    if (decoded === undefined) return;
    const sent = readSent<Contract['input']>(input, decoded.value);
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
    defineUpdate<ResultOf<Contract>, [argument: RawValue | undefined]>(contract.name, { typeInfo: asSent }),
    // Checked again: a replay skips the validator.
    (argument) => {
      const accepted = decodeAccepted(argument);
      return failingTyped(() => handle(argumentOf(contract, accepted)));
    },
    {
      validator: (argument: RawValue | undefined) => {
        const sent = argumentOf(contract, decodeOrRefuse(argument));
        const problem = check?.(sent);
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
    defineQuery<ResultOf<Contract>, [argument: RawValue | undefined]>(contract.name, { typeInfo: asSent }),
    (argument) => answer(argumentOf(contract, decodeOrRefuse(argument))),
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
