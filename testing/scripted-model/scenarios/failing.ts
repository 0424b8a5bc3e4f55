import { fail, say, type ScriptedReply, useTool } from '../reply';
import type { Script } from '../script';

/**
 * Looks around, then fails for a reason that no retry of the provider solves. The operator's retry succeeds. A run is
 * recognized by its prompt, because nothing in a request names it: its first turn starts over.
 */
export function failingRoot(): Script {
  const failed = new Set<string>();
  return (call): ScriptedReply => {
    const { systemText, turn } = call;
    if (turn === 0) {
      failed.delete(systemText);
      return useTool('list_files', { path: '.' }, { text: 'I look around first.' });
    }
    if (!failed.has(systemText)) {
      failed.add(systemText);
      return fail(403, { message: 'Your API key does not have permission to use this model.' });
    }
    return say('Now it works, and the turn before the failure was not paid twice.');
  };
}
