import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { refuse, say, scriptByTurn, useTool } from '../../../testing/scripted-model';
import { batch, delegationsOf } from '../../support/batches';
import { byDepth } from '../../support/delegation-script';
import { Harness } from '../../support/harness';
import { operated } from '../../support/parked';
import { until } from '../../support/until';

/** A receiver of announcements on this machine. It answers the first requests with an error. */
class Receiver {
  readonly received: { readonly body: Record<string, unknown>; readonly status: number }[] = [];
  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(statusOf: (request: number) => number): Promise<Receiver> {
    const server = createServer((request, response) => {
      let text = '';
      request.on('data', (chunk: Buffer) => (text += chunk.toString()));
      request.on('end', () => {
        const status = statusOf(receiver.received.length + 1);
        receiver.received.push({ body: JSON.parse(text) as Record<string, unknown>, status });
        response.writeHead(status).end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const receiver = new Receiver(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`);
    return receiver;
  }

  close(): Promise<unknown> {
    return new Promise((resolve) => this.server.close(resolve));
  }
}

/** Types of the activities in a history. */
async function activitiesOf(harness: Harness, workflowId: string): Promise<string[]> {
  const { events } = await harness.client.workflow.getHandle(workflowId).fetchHistory();
  return (events ?? []).flatMap((event) => event.activityTaskScheduledEventAttributes?.activityType?.name ?? []);
}

describe('a run that announces its incidents', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'));
  });
  afterAll(() => harness.close());

  test('posts them to its address, also those of delegations, again when that fails, and waits for none of it', async () => {
    const receiver = await Receiver.start((request) => (request <= 2 ? 503 : 204));
    harness.model.setScript(
      byDepth(scriptByTurn(useTool('dispatch_subagents', batch(['one'])), say('done')), () => refuse('no')),
    );
    const run = await harness.startRun({
      onFailure: 'hold',
      notify: { url: receiver.url },
      tuning: { retryIntervalMs: 50 },
    });
    const [child] = await delegationsOf(harness.client, run, 1);
    const agent = operated(harness.client, child!.workflowId);
    const incident = await agent.incident();
    await until(() => receiver.received.length === 3 || undefined);
    const target = child!.workflowId.replace('run/', '');
    expect(receiver.received.map(({ status }) => status)).toEqual([503, 503, 204]);
    expect(receiver.received[2]!.body).toEqual({
      run: run.workflowId.replace('run/', ''),
      agent: target,
      incident,
      commands: [
        `baton retry ${target} --incident i1`,
        `baton amend ${target} --incident i1 --instructions "…"`,
        `baton skip ${target} --incident i1 --result "…"`,
        `baton abort ${target} --incident i1`,
      ],
    });
    await agent.decide({ incident: 'i1', action: 'skip', placeholder: 'nothing' });
    await run.result();
    expect(receiver.received).toHaveLength(3);
    await receiver.close();
  });

  test('stops announcing an incident that is closed, and a run that names no address announces nothing', async () => {
    const receiver = await Receiver.start(() => 503);
    harness.model.setScript(() => refuse('no'));
    const loud = await harness.startRun({ onFailure: 'hold', notify: { url: receiver.url } });
    const quiet = await harness.startRun({ onFailure: 'hold' });
    await until(() => receiver.received.length > 0 || undefined);
    for (const run of [loud, quiet]) {
      const agent = operated(harness.client, run.workflowId);
      await agent.incident();
      await agent.decide({ incident: 'i1', action: 'skip', placeholder: 'nothing' });
      await run.result();
    }
    const count = (names: string[]): number => names.filter((name) => name === 'notifyOperators').length;
    expect(count(await activitiesOf(harness, loud.workflowId))).toBe(1);
    expect(count(await activitiesOf(harness, quiet.workflowId))).toBe(0);
    await receiver.close();
  });
});
