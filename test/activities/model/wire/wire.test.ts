import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createAnthropicModel } from '../../../../activities/model/anthropic-model';
import type { PromptRecord } from '../../../../domain/prompt';
import type { BlobRef, RunStore, Store } from '../../../../domain/store';
import { putJson } from '../../../../store/blobs';
import { openFileStore } from '../../../../store/file/open-file-store';
import { putPromptRecord } from '../../../../store/prompts';
import { TranscriptCache } from '../../../../store/transcript/cache';
import { Transcripts } from '../../../../store/transcript/transcripts';
import { newFolder } from '../../../store/support/folders';
import { activitiesFor, quietEnvironment } from '../../../support/activity-environment';
import { replyOf, turnInput } from '../../agent/turn-support';
import { type Events, eventStream, sse } from '../hostile-provider';
import { writeFile } from '../support';
import { conversations, type WireConversation } from './conversations';

/**
 * The body of every request, by conversation. A difference makes every running conversation pay for its whole prompt
 * again, because the provider's cache compares bytes, and may break signatures. After an intended change, record them
 * again: BATON_RECORD_WIRE=1 npx jest --selectProjects activities --testPathPatterns model/wire
 */
const recordedFile = join(__dirname, 'requests.json');
type Recorded = Readonly<Record<string, readonly string[]>>;
const recorded = JSON.parse(readFileSync(recordedFile, 'utf8')) as Recorded;

let server: Server;
let baseUrl: string;
let store: Store;
/** Requests since the conversation began, and the replies to the next ones. */
let received: string[] = [];
let replies: Events[] = [];

beforeAll(async () => {
  store = await openFileStore(await newFolder());
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push(`${request.url ?? ''} ${Buffer.concat(chunks).toString('utf8')}`);
      if (request.url?.includes('count_tokens') === true)
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"input_tokens":123}');
      else response.writeHead(200, sse).end(eventStream(replies.shift() ?? []));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** Stores a prompt with the part of its record that a model call reads. */
async function promptOf(run: RunStore): Promise<BlobRef> {
  const prompt = await run.put(Buffer.from('You are careful. — “Ü”'), 'text/markdown');
  await putPromptRecord(run, { prompt, origin: { kind: 'rendered' } } as PromptRecord);
  return prompt;
}

/** Plays a conversation with the activity that makes all model calls. Returns the requests. */
async function play(runId: string, { output, temperature, turns }: WireConversation): Promise<readonly string[]> {
  received = [];
  const run = store.forRun(runId);
  const opening = await new Transcripts(run, new TranscriptCache()).begin({
    kind: 'opening',
    prompt: await promptOf(run),
    tools: await putJson(run, [writeFile, { ...writeFile, id: 'read', name: 'read', inputSchema: { type: 'object' } }]),
    model: {
      name: 'claude-sonnet-5-5',
      maxTokens: 4_000,
      window: 200_000,
      ...(temperature === undefined ? {} : { temperature }),
    },
    firstMessage: 'Begin.',
    ...(output === undefined ? {} : { output }),
  });
  let { head } = opening;
  for (const [call, { replies: given, ...more }] of turns.entries()) {
    replies = [...given];
    const identity = { execution: 'e1', call, try: 0 };
    const location = { runId, storeId: store.id, head, identity };
    // Each call is made by another worker, which reads the conversation from the store.
    const { runTurn } = activitiesFor(store, createAnthropicModel({ apiKey: 'k', baseUrl }));
    ({ head } = replyOf(await quietEnvironment().run(runTurn, turnInput({ ...location, ...more }))));
    expect(replies).toEqual([]);
  }
  return received;
}

const played = new Map<string, readonly string[]>();

test.each(Object.entries(conversations))('requests are the same, byte for byte: %s', async (name, conversation) => {
  const requests = await play(`r${played.size}`, conversation);
  played.set(name, requests);
  if (process.env['BATON_RECORD_WIRE'] === undefined) expect(requests).toEqual(recorded[name]);
});

test('every recorded request is compared', () => {
  if (process.env['BATON_RECORD_WIRE'] !== undefined)
    writeFileSync(recordedFile, `${JSON.stringify(Object.fromEntries(played), null, 2)}\n`);
  else expect([...played.keys()]).toEqual(Object.keys(recorded));
});
