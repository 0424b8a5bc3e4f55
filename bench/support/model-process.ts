import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

/** A running model process. */
export interface ModelProcess {
  readonly baseUrl: string;
  /** Makes it play a script of `models/` from now on. */
  play(script: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts the model on loopback, in a separate process: like a real model, it then takes no time of the measured worker.
 */
export async function startModelProcess(): Promise<ModelProcess> {
  const child = fork(require.resolve('./serve-model'), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const ended = once(child, 'exit');
  const { baseUrl } = await answerOf(child, ended);
  return {
    baseUrl,
    async play(script) {
      child.send({ script });
      await answerOf(child, ended);
    },
    async close() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function answerOf(child: ChildProcess, ended: Promise<unknown[]>): Promise<{ baseUrl: string }> {
  const [first] = await Promise.race([once(child, 'message'), ended]);
  if (typeof first !== 'object' || first === null) throw new Error(`The scripted model ended (${String(first)})`);
  return first as { baseUrl: string };
}
