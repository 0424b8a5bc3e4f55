/** What the agent loop itself reports. Slices may listen; where none does, the event is ignored and not a mistake. */
export const loopEvents = ['toolInvoked', 'promptRendered', 'delegationStarted', 'delegationEnded'] as const;
export type LoopEvent = (typeof loopEvents)[number];

export function isLoopEvent(type: string): type is LoopEvent {
  return (loopEvents as readonly string[]).includes(type);
}
