import { say, useTool, useTools, type ScriptedCall } from '../../testing/scripted-model';
import { childrenPerWave, waves } from '../workloads';
import { serveModel } from '../support/serve-model';

function isChild({ systemText }: ScriptedCall): boolean {
  return systemText.includes('<!-- PARENT PROMPT START -->');
}

/**
 * The parent dispatches one wave per turn; a child calls one tool and answers. Used both with Baton and with
 * hand-written workflows.
 */
serveModel((call) => {
  if (isChild(call)) return call.turn === 0 ? useTool('add_note', { text: 'looked' }) : say('Done.');
  if (call.turn >= waves) return say('All done.');
  const input = { mode: 'ad_hoc', prompt_ns: 'baton', prompt_key: 'subagent' };
  return useTools(
    Array.from({ length: childrenPerWave }, (_, task) => ({
      name: 'dispatch_subagent',
      input: { ...input, instructions: `Carry out task ${call.turn}-${task}.` },
    })),
  );
});
