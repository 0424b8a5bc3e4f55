import type { ModelAnswer, ModelPort } from '../../../activities/dependencies';
import { defaultLimits, type OpenedAgent, type TurnReply } from '../../../domain/agent';
import { spillText } from '../../../store/blobs';
import { openFileStore } from '../../../store/file/open-file-store';
import { TranscriptCache } from '../../../store/transcript/cache';
import { Transcripts } from '../../../store/transcript/transcripts';
import { unsyncedFiles } from '../../store/support/failing-files';
import { newFolder } from '../../store/support/folders';
import { activitiesFor, quietEnvironment } from '../../support/activity-environment';
import { replyOf, turnInput } from './turn-support';

const turns = 500;
const resultOf = (turn: number): string => `result ${turn} `.repeat(2_000).slice(0, 20_000);
const usage = { input: 10, cacheRead: 0, cacheWrite: 0, output: 5 };

/** What the model answers in a turn. */
function answerIn(turn: number): ModelAnswer {
  const input = { path: `docs/chapter-${turn}.md` };
  return {
    content: [
      { type: 'text', text: `I read chapter ${turn} next, because the one before refers to it.` },
      { type: 'toolCall', id: `call-${turn}`, name: 'read_file', input },
    ],
    stopReason: 'toolCalls',
    usage,
    model: 'scripted',
  };
}

const model: ModelPort = {
  nativeStructuredOutput: false,
  countTokens: () => Promise.resolve(0),
  reply: ({ messages }) => Promise.resolve(answerIn((messages.length - 1) / 2)),
};

test('500 turns with results of 20 KB take at most 1.1 times their content', async () => {
  const store = await openFileStore(await newFolder(), { files: unsyncedFiles });
  const { openRun, runTurn } = activitiesFor(store, model);
  const opened: OpenedAgent = await quietEnvironment().run(openRun, {
    runId: 'r1',
    goal: 'Read the book.',
    model: { name: 'claude-sonnet-5-5', maxTokens: 4_000, window: 200_000 },
    limits: { ...defaultLimits, maxTurns: 1_000 },
  });
  const run = store.forRun('r1');
  const location = { runId: 'r1', storeId: opened.storeId };
  let reply: TurnReply | undefined;
  let content = 0;
  for (let call = 0; call < turns; call += 1) {
    const outcomes = await Promise.all(
      (reply?.toolCalls ?? []).map(async ({ id }) => {
        content += 20_000;
        return { callId: id, isError: false, content: await spillText(run, resultOf(call)) };
      }),
    );
    const identity = { execution: 'e1', call, try: 0 };
    const head = reply?.head ?? opened.opening;
    reply = replyOf(await quietEnvironment().run(runTurn, turnInput({ ...location, head, outcomes, identity })));
    content += JSON.stringify(answerIn(call)).length;
  }
  const [stored] = await store.listRuns();
  expect((stored?.bytes ?? 0) / content).toBeLessThan(1.1);

  // Another worker, which has nothing cached, reads the whole conversation.
  const { entries } = await new Transcripts(run, new TranscriptCache()).load(reply!.head);
  const results = entries.flatMap((entry) => (entry.kind === 'toolResults' ? entry.results : []));
  expect(results.map(({ text }) => text)).toEqual(Array.from({ length: turns - 1 }, (_, n) => resultOf(n + 1)));
});
