import { startedByBaton } from '../temporal-config/node/started-by';

/** The command that has started this worker process, if any. */
export interface ParentProcess {
  /** Tells it that the worker polls. */
  reportReady(): void;
  /** Lets this process exit: an open channel to the parent would keep it alive. */
  disconnect(): void;
}

/** Finds the command that has started this process. If that command ends, even by SIGKILL, this process stops too. */
export function findParentProcess(): ParentProcess | undefined {
  if (process.env[startedByBaton] === undefined || process.send === undefined) return undefined;
  const stop = (): void => void process.kill(process.pid, 'SIGTERM');
  process.once('disconnect', stop);
  return {
    reportReady: () => void process.send?.('ready'),
    disconnect() {
      process.off('disconnect', stop);
      if (process.connected) process.disconnect();
    },
  };
}
