// Restate: workflows are handlers that its server calls, and it keeps a journal of their steps.
import * as restate from '@restatedev/restate-sdk';
import { connect } from '@restatedev/restate-sdk-clients';
import { once } from 'node:events';
import { createServer } from 'node:http2';
import type { Place, System } from '../system';
import { childGoals } from '../work';
import { stepAgent } from './steps';

// The SDK needs what Node.js has since version 22.
Promise.withResolvers ??= function withResolvers<T>() {
  let [resolve, reject]: [(value: T | PromiseLike<T>) => void, (reason?: unknown) => void] = [() => {}, () => {}];
  const promise = new Promise<T>((...functions) => ([resolve, reject] = functions));
  return { promise, resolve, reject };
};

export async function open(place: Place): Promise<System> {
  const { ingress = '', admin = '', port = 0 } = place.restate ?? {};
  const play = stepAgent(place);
  const agent = restate.workflow({
    name: 'agent',
    handlers: {
      run: (context: restate.WorkflowContext, goal: string) => play(goal, (name, work) => context.run(name, work)),
    },
  });
  const parent = restate.workflow({
    name: 'parent',
    handlers: {
      run: (context: restate.WorkflowContext, goals: string[]) =>
        restate.RestatePromise.all(
          goals.map((goal, index) => context.workflowClient(agent, `${context.key}/${index}`).run(goal)),
        ),
    },
  });
  const server = createServer(restate.createEndpointHandler({ services: [agent, parent], logger: () => {} }));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  await post(`${admin}/deployments`, { uri: `http://127.0.0.1:${port}` });
  const client = connect({ url: ingress });
  return {
    async run(id, goal) {
      await client.workflowClient(agent, id).workflowSubmit(goal);
      await client.workflowClient(agent, id).workflowAttach();
    },
    async delegate(id, children) {
      await client.workflowClient(parent, id).workflowSubmit(childGoals(children));
      await client.workflowClient(parent, id).workflowAttach();
    },
    async finish(id) {
      await client.workflowClient(agent, id).workflowAttach();
    },
    stored: async (id) => ({ journal: await journalBytes(admin, id) }),
    close: async () => {
      server.close();
    },
  };
}

/** Reads the journal itself: the server tells no sizes. */
async function journalBytes(admin: string, id: string): Promise<number> {
  const query = `SELECT j.raw FROM sys_journal j JOIN sys_invocation i ON j.id = i.id WHERE i.target_service_key = '${id}'`;
  const { rows } = (await post(`${admin}/query`, { query })) as { rows: { raw: string }[] };
  return rows.reduce((sum, { raw }) => sum + raw.length / 2, 0);
}

async function post(url: string, body: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return response.json();
}
