import { say, type ScriptedReply, useTool } from '../reply';
import type { Script } from '../script';

/**
 * Writes an artifact, and reports the result of the call. Start the run with `--approve write_artifact` to have it wait
 * for an operator.
 */
export function approval(): Script {
  return (call): ScriptedReply => {
    const [written] = call.toolExchanges;
    if (written === undefined)
      return useTool('write_artifact', { name: 'RELEASE.md', content: '# Release 7\n\nEverything is new.\n' });
    const { isError = true, text = '' } = written.result ?? {};
    return say(isError ? `I did not write RELEASE.md. ${text}` : `I wrote RELEASE.md. ${text}`);
  };
}

/** Asks a question, if the run allows it (`--ask`), and reports the answer. */
export function question(): Script {
  return (call): ScriptedReply => {
    const [asked] = call.toolExchanges;
    if (asked === undefined)
      return useTool('ask_operator', {
        question: 'Which version do I release?',
        options: ['7.0.0', '7.0.0-rc.1'],
        default: '7.0.0-rc.1',
      });
    return say(`I asked, and continue so: ${asked.result?.text ?? ''}`);
  };
}
