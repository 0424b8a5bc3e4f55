/**
 * Events that the agent loop itself sends. Slices may handle them; if no slice does, the event is ignored and does not
 * fail.
 */
export const loopEvents = ['toolInvoked', 'promptRendered', 'delegationStarted', 'delegationEnded'] as const;
/** Type of an event that the agent loop sends. */
export type LoopEvent = (typeof loopEvents)[number];

/** Returns true for an event type that the agent loop sends. */
export function isLoopEvent(type: string): type is LoopEvent {
  return (loopEvents as readonly string[]).includes(type);
}
