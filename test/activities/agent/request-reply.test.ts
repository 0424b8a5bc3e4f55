import { AnswerJournal } from '../../../activities/agent/answer-journal';
import { requestReply } from '../../../activities/agent/request-reply';
import type { ModelAnswer, ModelPort, ModelRequest } from '../../../activities/dependencies';
import type { RunTurnInput } from '../../../domain/agent';
import { addUsage, answerText, judgeReply, toMessages, type Usage } from '../../../domain/model';
import { checkOutput } from '../../../domain/prompt/output';
import { say, type Script, scriptByTurn, type ScriptedModel, useTool } from '../../../testing/scripted-model';
import { MemoryRunStore } from '../../store/support/memory-run-store';
import { quietEnvironment } from '../../support/activity-environment';
import { closeModels, modelPlaying, planFormat, requestOf, signal, writeFile } from '../model/support';

jest.mock('../../../domain/model/judge-reply', () => {
  const actual = jest.requireActual<object>('../../../domain/model/judge-reply');
  return { ...actual, judgeReply: jest.fn((answer: ModelAnswer) => ({ verdict: 'usable', answer })) };
});
const judged = jest.mocked(judgeReply<ModelAnswer>);

afterEach(closeModels);

const whole = '<response><plan><goal>g</goal></plan></response>';
const harmless = { text: 'x' };
const withSequence = { text: '<a></response>' };

const call: RunTurnInput = {
  runId: 'r1',
  storeId: 's1',
  head: { hash: '0'.repeat(64), bytes: 1 },
  identity: { execution: 'e1', call: 0, try: 0 },
};

/** One attempt at the call: what is journaled is found by the next. */
async function attempt(
  model: ModelPort,
  request: ModelRequest,
  journal = new AnswerJournal(new MemoryRunStore(), call),
): Promise<ModelAnswer> {
  const work = async (): Promise<ModelAnswer> =>
    requestReply({ model, journal, signal }, request, await journal.find(0));
  return quietEnvironment().run(work);
}

async function ask(
  script: Script,
  more: Partial<ModelRequest> = { output: planFormat },
): Promise<{ answer: ModelAnswer; server: ScriptedModel }> {
  const { model, server } = await modelPlaying(script);
  return { answer: await attempt(model, requestOf({ tools: [writeFile], ...more })), server };
}

/** What the first two calls used, according to the provider. */
function usages(server: ScriptedModel): [Usage, Usage] {
  const usageOf = (index: number): Usage => {
    const usage = server.calls[index]?.usage;
    return {
      input: usage?.input_tokens ?? 0,
      cacheRead: usage?.cache_read_input_tokens ?? 0,
      cacheWrite: usage?.cache_creation_input_tokens ?? 0,
      output: usage?.output_tokens ?? 0,
    };
  };
  return [usageOf(0), usageOf(1)];
}

test('the end that a stop sequence cut off an answer is restored', async () => {
  const { answer, server } = await ask(() => say(`${whole} Any other questions?`, { thinking: 'Hm.' }));
  expect(answer.content).toMatchObject([{ type: 'thinking' }, { type: 'text', text: whole }]);
  expect(checkOutput(planFormat, answerText([{ kind: 'reply', ...answer }])).ok).toBe(true);
  expect(server.calls).toHaveLength(1);
  expect(answer).not.toHaveProperty('lastUsage');
});

test('a repair request shows the model its complete answer', async () => {
  const { model, server } = await modelPlaying(scriptByTurn(say('So: <response></response>'), say(whole)));
  const request = requestOf({ output: planFormat });
  const { content } = await attempt(model, request);
  const messages = toMessages(
    [
      { kind: 'opening', firstMessage: 'Begin.', model: request.settings },
      { kind: 'reply', content },
      { kind: 'note', text: 'Correct it.' },
    ],
    request.settings,
  );
  await attempt(model, { ...request, messages });
  expect(server.calls[1]?.request.messages[1]?.content).toMatchObject([{ text: 'So: <response></response>' }]);
});

test('an answer that was cut off completely is not empty', async () => {
  const { answer } = await ask(() => say('</response>'));
  expect(answer.content).toEqual([{ type: 'text', text: '</response>' }]);
});

test('a tool call that was cut off is requested again, and both requests are charged', async () => {
  const { answer, server } = await ask(() => useTool('write_file', withSequence, { text: 'I write.' }));
  expect(answer).toMatchObject({
    stopReason: 'toolCalls',
    content: [{ text: 'I write.' }, { type: 'toolCall', input: withSequence }],
  });
  expect(server.calls.map(({ request }) => request.stop_sequences)).toEqual([['</response>'], undefined]);
  const [first, second] = usages(server);
  expect(answer.usage).toEqual(addUsage(first, second));
  expect(answer.lastUsage).toEqual(second);
});

test('a complete tool call is requested once', async () => {
  const { answer, server } = await ask(() => useTool('write_file', harmless));
  expect(answer.content).toMatchObject([{ type: 'toolCall', input: harmless }]);
  expect(server.calls).toHaveLength(1);
});

test('free text and JSON may contain the sequence', async () => {
  const json = { type: 'object' as const, properties: { a: { type: 'string' as const } } };
  for (const more of [{}, { output: { json } }]) {
    const { answer, server } = await ask(() => useTool('write_file', withSequence, { text: whole }), more);
    expect(answer.content).toMatchObject([{ text: whole }, { type: 'toolCall', input: withSequence }]);
    expect(server.calls).toHaveLength(1);
  }
});

describe('a reply that is not usable', () => {
  const unusable = { verdict: 'unusable', reason: 'it is empty' } as const;

  test('is requested again at once, and every request is charged', async () => {
    judged.mockReturnValueOnce(unusable);
    const { answer, server } = await ask(({ index }) => say(`answer ${index}`));
    expect(answer.content).toMatchObject([{ type: 'text', text: 'answer 1' }]);
    expect(server.calls).toHaveLength(2);
    expect(answer.usage).toEqual(addUsage(...usages(server)));
  });

  test('that follows a tool call which was cut off is requested again without the stop sequence', async () => {
    judged.mockReturnValueOnce(unusable);
    const { server } = await ask(() => useTool('write_file', withSequence));
    expect(server.calls.map(({ request }) => request.stop_sequences)).toEqual([['</response>'], undefined, undefined]);
  });

  test('is repaired if it can be', async () => {
    judged.mockImplementationOnce((answer) => ({
      verdict: 'repaired',
      answer: { ...answer, content: [{ type: 'text', text: 'even' }] },
      repairs: ['it was odd'],
    }));
    const { answer, server } = await ask(() => say('odd'));
    expect(answer).toMatchObject({ content: [{ type: 'text', text: 'even' }], stopReason: 'done' });
    expect(answer).not.toHaveProperty('lastUsage');
    expect(server.calls).toHaveLength(1);
  });

  test('fails the call after three requests, and a repeated attempt pays for none of them again', async () => {
    const { model, server } = await modelPlaying(() => say('empty'));
    const journal = new AnswerJournal(new MemoryRunStore(), call);
    for (const _ of ['first attempt', 'second attempt']) {
      for (let n = 0; n < 3; n += 1) judged.mockReturnValueOnce(unusable);
      const failure: unknown = await attempt(model, requestOf(), journal).catch((error: unknown) => error);
      const output = 3 * (server.calls[0]?.usage?.output_tokens ?? 0);
      expect(failure).toMatchObject({ type: 'Model.BadReply', nonRetryable: true, details: [{ usage: { output } }] });
      expect(failure).toHaveProperty('message', expect.stringContaining('it is empty'));
    }
    expect(server.calls).toHaveLength(3);
  });
});

test('an attempt that was interrupted between two requests repeats neither', async () => {
  const { model, server } = await modelPlaying(() => useTool('write_file', withSequence));
  const journal = new AnswerJournal(new MemoryRunStore(), call);
  const request = requestOf({ tools: [writeFile], output: planFormat });
  let left = 1;
  const broken: ModelPort = {
    ...model,
    reply: (next, abort) => (left-- > 0 ? model.reply(next, abort) : Promise.reject(new Error('down'))),
  };
  await expect(attempt(broken, request, journal)).rejects.toThrow('down');
  const answer = await attempt(model, request, journal);
  expect(await attempt(model, request, journal)).toEqual(answer);
  expect(server.calls).toHaveLength(2);
});
