import type { Client } from '@temporalio/client';

/** A client that loses the response of every other Update, after it has been carried out. */
export function forgetful(client: Client): Client {
  let answers = 0;
  const getHandle = (workflowId: string): unknown => {
    const handle = client.workflow.getHandle(workflowId);
    const executeUpdate = async (name: string, options: { args: [unknown] }): Promise<unknown> => {
      const answer: unknown = await handle.executeUpdate(name, options);
      answers += 1;
      if (answers % 2 === 1) throw new Error('The answer was lost');
      return answer;
    };
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
