import type { HistoryEvent } from '../decoder';

/** Whether an event is the last one of its execution, and which execution goes on in its place. */
export function closedBy(event: HistoryEvent): { readonly next: string | undefined } | undefined {
  const attributes =
    event.workflowExecutionCompletedEventAttributes ??
    event.workflowExecutionFailedEventAttributes ??
    event.workflowExecutionTimedOutEventAttributes ??
    event.workflowExecutionContinuedAsNewEventAttributes;
  // An empty text stands for none.
  if (attributes) return { next: attributes.newExecutionRunId || undefined };
  const stopped =
    event.workflowExecutionCanceledEventAttributes ?? event.workflowExecutionTerminatedEventAttributes ?? undefined;
  return stopped === undefined ? undefined : { next: undefined };
}
