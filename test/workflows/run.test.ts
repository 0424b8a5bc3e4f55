import { WorkflowFailedError, ApplicationFailure } from '@temporalio/client';
import { inTurns, say, useTool, useTools, type Script } from '../../scripted-model';
import { Harness } from '../support/harness';

describe('a run', () => {
  let harness: Harness;
  const play = (script: Script): void => harness.model.setScript(script);

  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'));
  });
  afterAll(() => harness.close());

  test('answers with what the model says', async () => {
    play(inTurns(say('Forty-two.')));
    const handle = await harness.startRun({ goal: 'What is the answer?' });
    expect(await handle.result()).toMatchObject({ answer: { text: 'Forty-two.' }, turns: 1 });
  });
});
