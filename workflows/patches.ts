import { patched } from '@temporalio/workflow';

/**
 * Changes of workflow code that runs in flight have to survive, newest first. An entry asks the SDK's `patched()`
 * whether an execution already takes the new path:
 *
 * ```ts
 * // 2026-11: the budget is checked before the tools run, not after.
 * budgetBeforeTools: () => patched('budget-before-tools'),
 * ```
 *
 * Workflow code calls `patches.budgetBeforeTools()` where the paths differ, so this table lists everything that keeps an
 * old path alive. Remove an entry, and its old path, when no open execution and no recorded history in `test/replay`
 * precedes it.
 */
export const patches = {
  // 2026-11: a report about waiting for an operator counts only while the delegation that sent it runs.
  hearsRunningOnly: () => patched('hears-running-only'),
  // 2026-11: a delegation that an operator has answered waits until its parent's concurrency limit allows it to continue.
  queuesAgain: () => patched('queues-again'),
  // 2026-11: what a cancelled or terminated delegation spent is looked up, before its whole reservation counted as spent.
  looksUpSpending: () => patched('looks-up-spending'),
} as const satisfies Readonly<Record<string, () => boolean>>;
