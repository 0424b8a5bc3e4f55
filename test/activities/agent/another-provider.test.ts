import type { LogEntry } from '@temporalio/worker';
import type { ModelAnswer, ModelPort, ModelRequest } from '../../../activities/dependencies';
import { checkAgent } from '../../../client/prompt/check-agent';
import { defaultLimits, type OpenedAgent, type ToldInput } from '../../../domain/agent';
import { parseModelName } from '../../../domain/model';
import type { BlobRef, Store } from '../../../domain/store';
import type { TranscriptEntry } from '../../../domain/transcript';
import { openFileStore } from '../../../store/file/open-file-store';
import { TranscriptCache } from '../../../store/transcript/cache';
import { Transcripts } from '../../../store/transcript/transcripts';
import { newFolder } from '../../store/support/folders';
import { activitiesFor, loggedEnvironment } from '../../support/activity-environment';
import { replyOf, turnInput } from './turn-support';

/** A port of a project's own, with two providers. Each signs its thinking and its calls, and knows opaque blocks. */
class TwoProviders implements ModelPort {
  readonly nativeStructuredOutput = false;
  readonly requests: ModelRequest[] = [];

  reply(request: ModelRequest): Promise<ModelAnswer> {
    this.requests.push(request);
    const { provider: name } = parseModelName(request.settings.name);
    const provider = { name, data: { signature: `by ${name}` } };
    const number = this.requests.length;
    return Promise.resolve({
      content: [
        { type: 'thinking', text: 'Hm.', provider },
        { type: 'opaque', provider },
        { type: 'toolCall', id: `c${number}`, name: 'look', input: { number }, provider },
      ],
      stopReason: 'toolCalls',
      usage: { input: 10, cacheRead: 0, cacheWrite: 0, output: 5 },
      model: request.settings.name,
    });
  }

  countTokens(): Promise<number> {
    return Promise.resolve(10);
  }
}

const first = { name: 'one:small', maxTokens: 1_000, window: 50_000 };
const second = { name: 'two:large', maxTokens: 1_000, window: 50_000 };

describe('a conversation that another provider continues', () => {
  let store: Store;
  let model: TwoProviders;
  let opened: OpenedAgent;
  let head: BlobRef;
  const logged: LogEntry[] = [];

  async function call(number: number, changes?: ToldInput['changes']): Promise<void> {
    const outcome = { callId: `c${number}`, isError: false, content: { text: `result ${number}` } };
    const input = turnInput({
      runId: 'r1',
      storeId: opened.storeId,
      head,
      outcomes: number === 0 ? [] : [outcome],
      identity: { execution: 'e1', call: number, try: 0 },
      ...(changes === undefined ? {} : { changes }),
    });
    const { runTurn } = activitiesFor(store, model);
    ({ head } = replyOf(await loggedEnvironment(logged).run(runTurn, input)));
  }

  const transcripts = (): Transcripts => new Transcripts(store.forRun('r1'), new TranscriptCache());
  const providersSent = (): string[] =>
    (model.requests.at(-1)?.messages ?? []).flatMap(({ content }) =>
      content.flatMap((block) => ('provider' in block ? [block.provider.name] : [])),
    );

  beforeAll(async () => {
    store = await openFileStore(await newFolder());
    model = new TwoProviders();
    const input = { runId: 'r1', goal: 'Look around.', model: first, limits: defaultLimits };
    opened = await loggedEnvironment([]).run(activitiesFor(store, model).openRun, input);
    head = opened.opening;
    await call(0);
    await call(1);
    expect(providersSent()).toEqual(['one', 'one', 'one']);
    await call(2, { model: second });
  });

  test('is sent without what only the first one understands', () => {
    expect(providersSent()).toEqual([]);
    expect(model.requests.at(-1)?.messages.slice(1)).toEqual(
      [1, 2].flatMap((number) => [
        { role: 'assistant', content: [{ type: 'toolCall', id: `c${number}`, name: 'look', input: { number } }] },
        {
          role: 'user',
          content: [{ type: 'toolResult', callId: `c${number}`, isError: false, text: `result ${number}` }],
        },
      ]),
    );
  });

  test('says in its transcript and in the log what was left out', async () => {
    const dropped = [{ provider: 'one', thinking: 2, opaque: 2, data: 2 }];
    const { entries } = await transcripts().load(head);
    expect(entries.filter(({ kind }) => kind === 'change')).toEqual([{ kind: 'change', model: second, dropped }]);
    const line = logged.find(({ message }) => message.startsWith('The model of another provider'));
    expect(line?.meta).toMatchObject({ model: 'two:large', dropped });
  });

  test('has everything of the first one when that one returns, and nothing of the other', async () => {
    await call(3, { model: first });
    expect(providersSent()).toEqual(['one', 'one', 'one', 'one', 'one', 'one']);
    await call(4);
    expect(providersSent()).toHaveLength(9);
    const { entries } = await transcripts().load(head);
    expect(entries.flatMap((entry) => (entry.kind === 'change' ? (entry.dropped ?? []) : []))).toEqual([
      { provider: 'one', thinking: 2, opaque: 2, data: 2 },
      { provider: 'two', thinking: 1, opaque: 1, data: 1 },
    ]);
  });

  test('is audited: a transcript that does not say what was left out differs from the record', async () => {
    const reads = { tools: () => Promise.resolve([]), embeddedPrompt: () => Promise.reject(new Error('not read')) };
    const check = (end: BlobRef): Promise<string | undefined> => {
      const agent = { workflowId: 'run/r1', opened, head: end, children: [] };
      return checkAgent(store.forRun('r1'), agent, undefined, reads);
    };
    expect(await check(head)).toBeUndefined();
    const { steps } = await transcripts().load(head);
    const silent = (entry: TranscriptEntry): TranscriptEntry => {
      if (entry.kind !== 'change') return entry;
      const { dropped: _, ...rest } = entry;
      return rest;
    };
    let forged = await transcripts().load(opened.opening);
    for (const { link } of steps.slice(1)) forged = await transcripts().append(forged, link.entries.map(silent));
    expect(await check(forged.head)).toContain('does not record what');
  });
});
