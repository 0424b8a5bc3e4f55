import {
  ApplicationFailure,
  CancelledFailure,
  ChildWorkflowFailure,
  TerminatedFailure,
  TimeoutFailure,
} from '@temporalio/common';

/** What stopped a workflow or an activity that did not fail by itself. */
export type StopKind = 'cancelled' | 'terminated' | 'timedOut';

/** The cause of an error, found by following `cause`. Activity and child failures are only wrappers around it. */
export interface FailureCause {
  /**
   * Type of the outermost failure whose type is known, because whoever chose that type had seen what lies below it.
   * Without one, the type of the innermost failure that has any, such as `TypeError`. Undefined if no failure has a type.
   */
  readonly type: string | undefined;
  /** Message of the failure with the known type. Without one, the innermost message. Empty if no failure has a message. */
  readonly message: string;
  /** The outermost stop; undefined if nothing was stopped. */
  readonly stopped: StopKind | undefined;
  /** Workflow ids of the children that the failure passed through, outermost first. */
  readonly workflowIds: readonly string[];
  /** First detail of each failure that has details, outermost first. */
  readonly details: readonly unknown[];
}

/** Finds the cause of an error. Anything may be passed, because anything can be thrown. */
export function failureCause(error: unknown, isKnownType: (type: string) => boolean): FailureCause {
  const errors = chainOf(error);
  const failures = errors.filter((at) => at instanceof ApplicationFailure);
  const typed = failures.filter(({ type }) => typeof type === 'string');
  const known = typed.find(({ type }) => isKnownType(type ?? ''));
  return {
    type: (known ?? typed.at(-1))?.type ?? undefined,
    message: (known === undefined ? errors : errors.slice(0, errors.indexOf(known) + 1)).reduce(
      (found, at) => messageOf(at) || found,
      '',
    ),
    stopped: errors.map(stopOf).find((reason) => reason !== undefined),
    workflowIds: errors.flatMap((at) => (at instanceof ChildWorkflowFailure ? (at.execution.workflowId ?? []) : [])),
    details: failures.flatMap(({ details }) => details?.slice(0, 1) ?? []),
  };
}

function chainOf(error: unknown): readonly Error[] {
  const errors: Error[] = [];
  for (let at = error; at instanceof Error && !errors.includes(at); at = at.cause) errors.push(at);
  return errors;
}

function stopOf(error: Error): StopKind | undefined {
  if (error instanceof CancelledFailure) return 'cancelled';
  if (error instanceof TerminatedFailure) return 'terminated';
  return error instanceof TimeoutFailure ? 'timedOut' : undefined;
}

/** Replaces the server's messages about what was cancelled or terminated, which explain nothing. */
function messageOf(error: Error): string {
  const stopped = stopOf(error);
  return stopped === 'cancelled' || stopped === 'terminated' ? `it was ${stopped}` : error.message;
}
