import { retryFailed } from '../../../client/operator/retry-failed';
import {
  fail,
  refuse,
  say,
  scriptByTurn,
  useTool,
  type Script,
  type ScriptedCall,
} from '../../../testing/scripted-model';
import { failureOf } from '../../support/failures';
import { Harness, type RunHandle, type RunWishes } from '../../support/harness';

/** A failed run that nobody prepared for it is retried at the failed step, and nothing is paid twice. */
describe('retrying a failed run', () => {
  let harness: Harness;
  let asked: ScriptedCall[];
  /** Whether what made the run fail has been corrected. */
  let isWell: boolean;
  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'));
  });
  beforeEach(() => {
    asked = [];
    isWell = false;
  });
  afterAll(() => harness.close());

  const play = async (script: Script, wishes: RunWishes = {}): Promise<RunHandle> => {
    harness.model.setScript((call) => {
      asked.push(call);
      return script(call);
    });
    return harness.startRun({ tuning: { heartbeatTimeoutMs: 2_000, retryIntervalMs: 10 }, ...wishes });
  };
  const turns = (): number[] => asked.map(({ turn }) => turn);
  const answerOf = async ({ workflowId }: RunHandle): Promise<unknown> =>
    harness.client.workflow.getHandle(workflowId).result();

  test.each([
    ['a call that the provider does not accept', 401, 'Model.Unauthorized', [0, 1, 1]],
    ['a request that the provider finds invalid', 400, 'Model.BadRequest', [0, 1, 1]],
  ])('after %s (%i), makes that call again and no other', async (_, status, type, calls) => {
    const run = await play(scriptByTurn(useTool('list_files', {}), () => (isWell ? say('Done.') : fail(status))));
    expect(await failureOf(run)).toMatchObject({ type });
    isWell = true;
    expect(await retryFailed(harness.client, run.workflowId, { by: 'ann' })).toMatchObject({
      retried: [run.workflowId],
      takenBack: [],
    });
    expect(await answerOf(run)).toMatchObject({ answer: { text: 'Done.' }, turns: 2 });
    expect(turns()).toEqual(calls);
  });

  test('after a refusal of the model, asks it again instead of using the recorded answer', async () => {
    const run = await play(scriptByTurn(useTool('list_files', {}), () => (isWell ? say('Now I will.') : refuse())));
    expect(await failureOf(run)).toMatchObject({ type: 'Model.Refused' });
    isWell = true;
    await retryFailed(harness.client, run.workflowId);
    expect(await answerOf(run)).toMatchObject({ answer: { text: 'Now I will.' } });
    expect(asked).toHaveLength(3);
  });
});
