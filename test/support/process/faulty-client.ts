import type { Client } from '@temporalio/client';
import type { WorkerFaults } from '../worker-process';

type Send = () => Promise<unknown>;

/** A client whose Updates are sent by `around`. */
function aroundUpdates(client: Client, around: (send: Send) => Promise<unknown>): Client {
  const getHandle = (workflowId: string): unknown => {
    const handle = client.workflow.getHandle(workflowId);
    const executeUpdate = (name: string, options: { args: [unknown] }): Promise<unknown> =>
      around(() => handle.executeUpdate(name, options));
    return new Proxy(handle, {
      get: (target, key) => (key === 'executeUpdate' ? executeUpdate : (Reflect.get(target, key) as unknown)),
    });
  };
  const workflow = new Proxy(client.workflow, {
    get: (target, key) => (key === 'getHandle' ? getHandle : (Reflect.get(target, key) as unknown)),
  });
  return new Proxy(client, {
    get: (target, key) => (key === 'workflow' ? workflow : (Reflect.get(target, key) as unknown)),
  });
}

/** A client that, while `loses` says so, loses the response of every other Update, after it has been carried out. */
export function losingAnswers(client: Client, loses: () => boolean): Client {
  let answers = 0;
  return aroundUpdates(client, async (send) => {
    const answer = await send();
    if (!loses()) return answer;
    answers += 1;
    if (answers % 2 === 1) throw new Error('The answer was lost');
    return answer;
  });
}

/** A client that sends a signal to its own process before or after its first Update, and tells the parent process. */
export function interrupted(client: Client, { when, signal }: NonNullable<WorkerFaults['atUpdate']>): Client {
  let isFirst = true;
  const interrupt = async (): Promise<void> => {
    await new Promise((resolve) => process.send?.('interrupted', resolve));
    process.kill(process.pid, signal);
    // The signal arrives at once, but not before this call returns.
    await new Promise((resolve) => setTimeout(resolve, 10));
  };
  return aroundUpdates(client, async (send) => {
    const isInterrupted = isFirst;
    isFirst = false;
    if (isInterrupted && when === 'before') await interrupt();
    try {
      const answer = await send();
      if (isInterrupted && when === 'after') await interrupt();
      return answer;
    } finally {
      if (isInterrupted) process.send?.('sent');
    }
  });
}
