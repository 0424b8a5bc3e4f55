import type { HistoryEvent } from '../decoder';

/** Returns the id of the next execution if an event closes its execution; undefined if it does not close it. */
export function closedBy(event: HistoryEvent): { readonly next: string | undefined } | undefined {
  const attributes =
    event.workflowExecutionCompletedEventAttributes ??
    event.workflowExecutionFailedEventAttributes ??
    event.workflowExecutionTimedOutEventAttributes ??
    event.workflowExecutionContinuedAsNewEventAttributes;
  // The server sends an empty string if no execution follows.
  if (attributes) return { next: attributes.newExecutionRunId || undefined };
  const stopped =
    event.workflowExecutionCanceledEventAttributes ?? event.workflowExecutionTerminatedEventAttributes ?? undefined;
  return stopped === undefined ? undefined : { next: undefined };
}
