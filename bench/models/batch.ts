import { say, type Script, type ScriptedCall, useTool } from '../../testing/scripted-model';
import { readBatchGoal } from '../workloads';

function childOf({ systemText }: ScriptedCall): string | undefined {
  return /\*\*Reason\*\* – Child (\d+)\./.exec(systemText)?.[1];
}

/** The root dispatches a batch in one call; each child calls one tool per turn, and answers. */
export const batch: Script = (call) => {
  // Hand-written workflows tell the model what to do in the first message.
  const { children, turns, writes } = readBatchGoal(call.systemText + call.firstUserText);
  const child = childOf(call);
  if (child === undefined) {
    if (call.turn > 0) return say('Done.');
    const delegations = Array.from({ length: children }, (_, index) => ({
      reason: `Child ${index}.`,
      expected_result: 'A word.',
      may_delegate_further: 'no',
      recap_lines: ['Work.'],
    }));
    return useTool('dispatch_subagents', { delegations });
  }
  if (call.turn >= turns) return say('Done.');
  return writes ? useTool('add_note', { text: `${child}:${call.turn}` }) : useTool('grep', { pattern: 'x' });
};
