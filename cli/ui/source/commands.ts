import type { Decision } from '../../../client/operator/decide';
import type { RunHandle } from '../../../client/agent/run-handle';
import { InvalidInputError } from '../../../domain/kernel';
import type { PageCommand } from '../page-source';

/** Sends a command of the page to an agent, in the name of the user who started the page's server. */
export async function sendCommand(run: RunHandle, { name, body }: PageCommand, by: string): Promise<unknown> {
  const { agent, note, ...rest } = body;
  const path = typeof agent === 'string' ? agent : '';
  const delegation = path === '' ? null : `${run.workflowId}/${path}`;
  const words = { by, ...(typeof note === 'string' && note !== '' ? { note } : {}) };
  switch (name) {
    case 'decide':
      // The library checks the decision.
      return run.decide(delegation, { ...rest, ...words } as Decision);
    case 'pause':
      return run.pause(words, delegation);
    case 'resume':
      return run.resume(words, delegation);
    case 'steer':
      return run.steer(textOf(rest['text']), words, delegation);
    case 'cancel':
      if (delegation !== null)
        throw new InvalidInputError('agent', 'only a whole run can be cancelled', 'Leave the agent out.');
      await run.cancel();
      return { requested: true };
  }
}

function textOf(text: unknown): string {
  if (typeof text === 'string' && text.trim() !== '') return text;
  throw new InvalidInputError('text', 'a message to the agent is required', 'Pass the text to send.');
}
