import { Client, Connection } from '@temporalio/client';
import type { Payload, PayloadCodec } from '@temporalio/common';
import { randomBytes } from 'node:crypto';
import { BatonClientPlugin } from '../../../client';
import type { RunResult } from '../../../domain/agent';
import { runWorkflowId } from '../../../domain/kernel';
import { encryptedWith } from '../../../encryption/payload-codec';
import { createGate, say } from '../../../testing/scripted-model';
import { snapshotQuery, steerUpdate } from '../../../workflows/messages';
import { Harness, testAddress } from '../../support/harness';

const key = { id: '2026-11', bytes: randomBytes(32) };

describe("a team's own client with BatonClientPlugin", () => {
  let harness: Harness;
  let connection: Connection;
  const gate = createGate();
  beforeAll(async () => {
    harness = await Harness.start(
      async () => {
        await gate.opened;
        return say('All is well.');
      },
      { encryption: [key] },
    );
    connection = await Connection.connect({ address: testAddress() });
  });
  afterAll(async () => {
    await connection.close();
    await harness.close();
  });

  test('starts a run, steers it and reads its result, all of it encrypted on the way', async () => {
    const client = new Client({ connection, plugins: [new BatonClientPlugin([key])] });
    const runId = `plugin-${harness.taskQueue}`;
    const handle = await client.workflow.start<(input: object) => Promise<RunResult>>('runWorkflow', {
      workflowId: runWorkflowId(runId),
      taskQueue: harness.taskQueue,
      args: [{ runId, goal: 'How is everything?' }],
    });
    await harness.model.waitForCall(0);
    expect(await handle.query(snapshotQuery)).toMatchObject({ status: 'thinking' });
    await handle.executeUpdate(steerUpdate, { args: [{ text: 'Hurry.' }] });
    gate.open();
    expect(await handle.result()).toMatchObject({ answer: { text: 'All is well.' } });

    const { events } = await handle.fetchHistory();
    const sent = (events ?? []).flatMap(
      ({ workflowExecutionStartedEventAttributes: start, workflowExecutionUpdateAcceptedEventAttributes: update }) =>
        start?.input?.payloads ?? update?.acceptedRequest?.input?.args?.payloads ?? [],
    );
    expect(sent.map(encryptedWith)).toEqual([key.id, key.id]);

    const keyless = new Client({ connection, plugins: [new BatonClientPlugin(undefined)] });
    await expect(keyless.workflow.getHandle(handle.workflowId).result()).rejects.toThrow(
      'This payload is encrypted with the key "2026-11", which is not among the keys here',
    );
  });

  test("encrypts what the team's own codec makes, and is applied once", async () => {
    const seen: (string | undefined)[] = [];
    const watching: PayloadCodec = {
      encode: (payloads: Payload[]) => {
        seen.push(...payloads.map(encryptedWith));
        return Promise.resolve(payloads);
      },
      decode: (payloads) => Promise.resolve(payloads),
    };
    const plugin = new BatonClientPlugin([key]);
    const client = new Client({
      connection,
      dataConverter: { payloadCodecs: [watching] },
      plugins: [plugin, plugin],
    });
    const { payloadCodecs } = client.options.loadedDataConverter;
    expect(payloadCodecs).toHaveLength(2);
    let payloads: Payload[] = [{ data: Buffer.from('secret') }];
    for (const codec of payloadCodecs) payloads = await codec.encode(payloads);
    expect(seen).toEqual([undefined]);
    expect(payloads.map(encryptedWith)).toEqual([key.id]);
  });
});
