import { setTimeout as sleep } from 'node:timers/promises';
import { readLivePicture } from '../../client/conversation/live-replies';
import { oneLine } from '../../client/format';
import { runWorkflowId } from '../../domain/kernel';
import type { CliContext } from '../context';

const lookEveryMs = 250;
/** Maximum characters of what the model says. The screen may be narrower. */
const maxCharacters = 400;

/**
 * Shows the end of what the model of a run's root says, until `stopped` is aborted. Empty when it says nothing. Shows
 * nothing if the store can't be opened: the run can be followed without it.
 */
export async function watchSpeech(
  context: CliContext,
  runId: string,
  show: (text: string) => void,
  stopped: AbortSignal,
): Promise<void> {
  const store = await context.openStore().catch(() => undefined);
  let last = '';
  while (store !== undefined && !stopped.aborted) {
    const { speaking } = await readLivePicture(store.forRun(runId), runWorkflowId(runId));
    const text = speaking === null ? '' : lastLine(speaking.text === '' ? speaking.thinking : speaking.text);
    if (text !== last) show(text);
    last = text;
    await sleep(lookEveryMs, undefined, { signal: stopped }).catch(() => undefined);
  }
}

function lastLine(text: string): string {
  const line = text.trimEnd().slice(-maxCharacters).split('\n').at(-1) ?? '';
  return oneLine(line, maxCharacters);
}
