import { say, useTool, type ScriptedCall } from '../../testing/scripted-model';
import { childrenPerCall } from '../workloads';
import { serveModel } from '../support/serve-model';

/** Reads from the goal of a run how many batches its root dispatches, one in each turn. */
function batchesOf({ systemText }: ScriptedCall): number {
  return Number(/Dispatch (\d+) batches/.exec(systemText)?.[1] ?? 0);
}

serveModel((call) => {
  const isChild = call.systemText.includes('# Delegation Summary');
  if (isChild || call.turn >= batchesOf(call)) return say('Done.');
  const delegations = Array.from({ length: childrenPerCall }, (_, index) => ({
    reason: `Child ${index} of batch ${call.turn}.`,
    expected_result: 'A word.',
    may_delegate_further: 'no',
    recap_lines: ['Work.'],
  }));
  return useTool('dispatch_subagents', { delegations });
});
