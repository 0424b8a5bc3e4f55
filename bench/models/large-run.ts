import { say, type Script, useTool } from '../../testing/scripted-model';
import { readLargeRunGoal } from '../workloads';

/** The root dispatches one batch in each turn; its children answer at once. */
export const largeRun: Script = (call) => {
  const isChild = call.systemText.includes('# Delegation Summary');
  const { batches, children } = readLargeRunGoal(call.systemText);
  if (isChild || call.turn >= batches) return say('Done.');
  const delegations = Array.from({ length: children }, (_, index) => ({
    reason: `Child ${index} of batch ${call.turn}.`,
    expected_result: 'A word.',
    may_delegate_further: 'no',
    recap_lines: ['Work.'],
  }));
  return useTool('dispatch_subagents', { delegations });
};
