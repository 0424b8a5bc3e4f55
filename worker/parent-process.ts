/** The process that started this one with a channel for messages, as `baton dev` does. */
export interface ParentProcess {
  /** Tells it that the worker polls, by the message `ready`, which process managers such as PM2 understand too. */
  reportReady(): void;
  /** Lets this process exit: an open channel to the parent would keep it alive. */
  disconnect(): void;
}

/** Finds the parent process. If it ends, even by SIGKILL, this process stops too. */
export function findParentProcess(): ParentProcess | undefined {
  if (process.send === undefined) return undefined;
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
