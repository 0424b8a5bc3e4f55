import { once } from 'node:events';
import { fork } from 'node:child_process';

/** A running model process. */
export interface ModelProcess {
  readonly baseUrl: string;
  close(): Promise<void>;
}

/**
 * Starts the file as a model on loopback, in a separate process: like a real model, it then takes no time of the
 * measured worker.
 */
export async function startModelProcess(file: string): Promise<ModelProcess> {
  const child = fork(file, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const ended = once(child, 'exit');
  const [first] = (await Promise.race([once(child, 'message'), ended])) as [{ baseUrl: string } | number | null];
  if (typeof first !== 'object' || first === null) throw new Error(`The scripted model did not start (${first})`);
  return {
    baseUrl: first.baseUrl,
    async close() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
