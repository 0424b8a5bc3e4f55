/** Calls back once for SIGINT or SIGTERM, and keeps them from ending the process until the returned function is called. */
export function onStopSignal(callback: (signal: NodeJS.Signals) => void): () => void {
  const signals: NodeJS.Signals[] = ['SIGINT', 'SIGTERM'];
  let called = false;
  const listener = (signal: NodeJS.Signals): void => {
    if (!called) callback(signal);
    called = true;
  };
  for (const signal of signals) process.on(signal, listener);
  return () => {
    for (const signal of signals) process.off(signal, listener);
  };
}
