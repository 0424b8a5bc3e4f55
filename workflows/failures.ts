import { ApplicationFailure, CancelledFailure, TerminatedFailure, TimeoutFailure } from '@temporalio/workflow';
import { isFailureType, type FailureType } from '../domain/failure-types';
import type { AgentProgress } from '../domain/run/progress';

interface RootCause {
  readonly type: FailureType | undefined;
  readonly message: string;
  readonly timedOut: boolean;
}

/** Activity and child failures are wrappers; the type an operator needs is on the innermost cause that has one. */
export function rootCause(error: unknown): RootCause {
  let cause: RootCause = { type: undefined, message: String(error), timedOut: false };
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    const type = at instanceof ApplicationFailure && isFailureType(at.type) ? at.type : undefined;
    const timedOut = cause.timedOut || at instanceof TimeoutFailure;
    cause = { type: type ?? cause.type, message: wordsOf(at) || cause.message, timedOut };
    if (type !== undefined) break;
  }
  return cause;
}

/** The server says nothing about a child that was stopped but that it was. */
function wordsOf(error: Error): string {
  if (error instanceof CancelledFailure) return 'it was cancelled';
  if (error instanceof TerminatedFailure) return 'it was terminated';
  return error.message;
}

/** A failed agent closes with the type of what failed, and with what it had spent and said until then. */
export function agentFailure(error: unknown, progress: AgentProgress | undefined): ApplicationFailure {
  const { type, message } = rootCause(error);
  return ApplicationFailure.create({
    message,
    type: type ?? 'Agent.Failed',
    nonRetryable: true,
    details: [{ turns: progress?.calls ?? 0, usage: progress?.usage ?? null, transcript: progress?.head ?? null }],
    ...(error instanceof Error ? { cause: error } : {}),
  });
}

export function failure(type: FailureType, message: string): ApplicationFailure {
  return ApplicationFailure.create({ type, message, nonRetryable: true });
}
