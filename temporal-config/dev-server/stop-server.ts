import type { StatePaths } from './paths';
import { findRunning } from './running-server';
import { stopProcess } from './stop-process';

/**
 * Ends the server of a database, and returns when no process uses that database any more. There may be several: a
 * wrapper script exits at once, while the server that it started needs another second.
 */
export async function stopServer(paths: StatePaths): Promise<void> {
  for (let running = await findRunning(paths); running; running = await findRunning(paths)) {
    await stopProcess(running.pid);
  }
}
