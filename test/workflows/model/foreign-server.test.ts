import { LLMock } from '@copilotkit/aimock';
import { say } from '../../../testing/scripted-model';
import { createAnthropicModel, createOpenAiCompatibleModel } from '../../../worker';
import { failedAttemptsOf } from '../../support/failures';
import { Harness } from '../../support/harness';

describe('a run with a model server that we did not write', () => {
  const mock = new LLMock({ port: 0, logLevel: 'silent' });
  let harness: Harness;
  beforeAll(async () => {
    mock.on(
      { turnIndex: 0 },
      {
        content: 'I take two notes.',
        toolCalls: [
          { name: 'add_note', arguments: '{"text":"one"}' },
          { name: 'add_note', arguments: '{"text":"two"}' },
        ],
      },
    );
    mock.on({ turnIndex: 1 }, { content: 'Both are noted.' });
    await mock.start();
    harness = await Harness.start(() => say('not used'), {
      providers: {
        anthropic: createAnthropicModel({ apiKey: 'any', baseUrl: mock.url }),
        openai: createOpenAiCompatibleModel({ baseUrl: `${mock.url}/v1` }),
      },
    });
  });
  afterAll(async () => {
    await harness.close();
    await mock.stop();
  });

  test.each([
    ['Messages', 'claude-sonnet-5-5'],
    ['Chat Completions', 'openai:gpt-4o'],
  ])('over %s uses tools, survives an error and answers', async (_, name) => {
    mock.nextRequestError(503, { message: 'Not now.' });
    const handle = await harness.startRun({ model: { name, maxTokens: 1_000, window: 200_000 } });
    expect(await handle.result()).toMatchObject({ answer: { text: 'Both are noted.' }, turns: 2 });
    expect(await failedAttemptsOf(handle)).toMatchObject([{ type: 'Model.ServerError' }]);
  });
});
