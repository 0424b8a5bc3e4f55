import type { StatePaths } from './paths';
import { findRunning } from './running-server';
import { stopProcess } from './stop-process';

/**
 * Ends the server of a database, and returns when nothing works on that database any more. More than one process may:
 * a wrapper script ends at once when told to, while the server that it started still takes a second.
 */
export async function stopServer(paths: StatePaths): Promise<void> {
  for (let running = await findRunning(paths); running; running = await findRunning(paths)) {
    await stopProcess(running.pid);
  }
}
