import { say, useTool, type ScriptedCall } from '../../testing/scripted-model';
import { turnsPerChild } from '../workloads';
import { serveModel } from '../support/serve-model';

/** Reads from the goal of a run the size of its batch, and whether its children write to the session. */
function batchOf({ systemText }: ScriptedCall): { size: number; writes: boolean } {
  const [, size = '0', writes] = /Batch of (\d+)( with writes)?/.exec(systemText) ?? [];
  return { size: Number(size), writes: writes !== undefined };
}

function childOf({ systemText }: ScriptedCall): string | undefined {
  return /\*\*Reason\*\* – Child (\d+)\./.exec(systemText)?.[1];
}

serveModel((call) => {
  const { size, writes } = batchOf(call);
  const child = childOf(call);
  if (child === undefined) {
    if (call.turn > 0) return say('Done.');
    const delegations = Array.from({ length: size }, (_, i) => ({
      reason: `Child ${i}.`,
      expected_result: 'A word.',
      may_delegate_further: 'no',
      recap_lines: ['Work.'],
    }));
    return useTool('dispatch_subagents', { delegations });
  }
  // A thousand children need no turns to show that a batch of a thousand works.
  if (size > 500 || call.turn >= turnsPerChild) return say('Done.');
  return writes ? useTool('add_note', { text: `${child}:${call.turn}` }) : useTool('grep', { pattern: 'x' });
});
