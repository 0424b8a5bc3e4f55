import { requestReply } from '../../../activities/agent/request-reply';
import type { ModelAnswer, ModelRequest } from '../../../activities/dependencies';
import { addUsage, answerText, toMessages } from '../../../domain/model';
import { checkOutput } from '../../../domain/skill/output';
import { say, type Script, scriptByTurn, type ScriptedModel, useTool } from '../../../testing/scripted-model';
import { closeModels, modelPlaying, planFormat, requestOf, signal, writeFile } from '../model/support';

afterEach(closeModels);

const whole = '<response><plan><goal>g</goal></plan></response>';
const harmless = { text: 'x' };
const withSequence = { text: '<a></response>' };

async function ask(
  script: Script,
  more: Partial<ModelRequest> = { output: planFormat },
): Promise<{ answer: ModelAnswer; server: ScriptedModel }> {
  const { model, server } = await modelPlaying(script);
  return { answer: await requestReply(model, requestOf({ tools: [writeFile], ...more }), signal), server };
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
  const { content } = await requestReply(model, request, signal);
  const messages = toMessages([
    { kind: 'opening', firstMessage: 'Begin.' },
    { kind: 'reply', content },
    { kind: 'note', text: 'Correct it.' },
  ]);
  await requestReply(model, { ...request, messages }, signal);
  expect(server.calls[1]?.request.messages[1]?.content).toMatchObject([{ text: 'So: <response></response>' }]);
});

test('an answer that was cut off completely is not empty', async () => {
  const { answer } = await ask(() => say('</response>'));
  expect(answer.content).toEqual([{ type: 'text', text: '</response>' }]);
});

test('a tool call that was cut off is requested again, and both requests are charged', async () => {
  const { answer, server } = await ask(() => useTool('write_file', withSequence, { text: 'I write.' }));
  expect(answer).toMatchObject({
    stopReason: 'tool_use',
    content: [{ text: 'I write.' }, { type: 'tool_use', input: withSequence }],
  });
  expect(server.calls.map(({ request }) => request.stop_sequences)).toEqual([['</response>'], undefined]);
  const [first, second] = server.calls.map(({ usage }) => ({
    input: usage?.input_tokens ?? 0,
    cacheRead: usage?.cache_read_input_tokens ?? 0,
    cacheWrite: usage?.cache_creation_input_tokens ?? 0,
    output: usage?.output_tokens ?? 0,
  }));
  expect(answer.usage).toEqual(addUsage(first!, second!));
  expect(answer.lastUsage).toEqual(second);
});

test('a complete tool call is requested once', async () => {
  const { answer, server } = await ask(() => useTool('write_file', harmless));
  expect(answer.content).toMatchObject([{ type: 'tool_use', input: harmless }]);
  expect(server.calls).toHaveLength(1);
});

test('free text and JSON may contain the sequence', async () => {
  const json = { type: 'object' as const, properties: { a: { type: 'string' as const } } };
  for (const more of [{}, { output: { json } }]) {
    const { answer, server } = await ask(() => useTool('write_file', withSequence, { text: whole }), more);
    expect(answer.content).toMatchObject([{ text: whole }, { type: 'tool_use', input: withSequence }]);
    expect(server.calls).toHaveLength(1);
  }
});
