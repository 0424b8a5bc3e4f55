// Which task is dispatched first when several wait on one queue. Reasons: docs/decisions/fairness.md.

/** The part of Temporal's priority that Baton sets. What is omitted is inherited from the workflow that starts something. */
interface TaskPriority {
  /** 1 to 5. Lower ones are dispatched first. */
  readonly priorityKey: number;
  /** Keys that wait on one queue take turns. At most 64 bytes. */
  readonly fairnessKey?: string;
}

const leastUrgent = 5;
const mostUrgent = 1;

/** Priority of an agent by its depth: deeper is more urgent, so that trees in progress finish before others begin. */
export function priorityOfDepth(depth: number): TaskPriority {
  return { priorityKey: Math.max(mostUrgent, leastUrgent - depth) };
}

/** Priority of the root of a run. Its fairness key is inherited by everything below it. */
export function rootPriority(fairnessKey: string): TaskPriority {
  return { ...priorityOfDepth(0), fairnessKey };
}

/** Priority of work that several agents wait for. */
export const urgent: TaskPriority = { priorityKey: mostUrgent };

/**
 * Priority of everything that waits for the same limit, whatever its depth. A strict order by depth would keep a new run
 * waiting for as long as another one has work left; between equals, the fairness key decides.
 */
export const equal: TaskPriority = { priorityKey: 3 };
