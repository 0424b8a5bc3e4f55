import {
  failFirstAttempts,
  dropConnection,
  endEarly,
  fail,
  failMidStream,
  scriptByTurn,
  overloaded,
  rateLimited,
  say,
  serverError,
  useTool,
  type ScriptedReply,
} from '../../../testing/scripted-model';
import { failedAttemptsOf, failureOf } from '../../support/failures';
import { Harness } from '../../support/harness';
import { historiesOf } from '../../support/replay';

describe('when the provider fails', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'));
  });
  afterAll(() => harness.close());

  test.each<[string, ScriptedReply]>([
    ['is overloaded (529)', overloaded()],
    ['answers 500', serverError()],
    ['answers 408', fail(408)],
    ['answers 409', fail(409)],
    ['drops the connection before the first byte', dropConnection()],
    [
      'drops the connection in the middle of an answer',
      dropConnection({ afterEvents: 3, answer: say('Half an answer') }),
    ],
    ['ends its stream too early', endEarly()],
    ['reports an error in the middle of a stream', failMidStream()],
  ])('a run continues after the provider %s', async (_, trouble) => {
    harness.model.setScript(
      failFirstAttempts([trouble], scriptByTurn(useTool('list_files', {}), say('Done all the same.'))),
    );
    const handle = await harness.startRun();
    expect(await handle.result()).toMatchObject({ answer: { text: 'Done all the same.' }, turns: 2 });
  });

  test('it waits as long as the provider asks, and up to half as long again', async () => {
    harness.model.setScript(
      failFirstAttempts([rateLimited({ retryAfterSeconds: 3 })], () => say('Thanks for waiting.')),
    );
    const before = harness.model.calls.length;
    const handle = await harness.startRun();
    await handle.result();
    const [attempt, ...others] = await failedAttemptsOf(handle);
    expect([attempt?.type, others]).toEqual(['Model.RateLimited', []]);
    expect(attempt?.retryDelayMs).toBeGreaterThanOrEqual(3_000);
    expect(attempt?.retryDelayMs).toBeLessThanOrEqual(4_500);
    const [refused, answered] = harness.model.calls.slice(before);
    expect(answered!.receivedAt - refused!.receivedAt).toBeGreaterThanOrEqual(3_000);
  });

  test.each([
    [400, 'Model.BadRequest'],
    [404, 'Model.NotFound'],
    [413, 'Model.RequestTooLarge'],
    [422, 'Model.BadRequest'],
    [402, 'Model.SpendLimit'],
    [403, 'Model.Unauthorized'],
  ])('a %i fails the run at once as %s', async (status, type) => {
    harness.model.setScript(() => fail(status));
    const before = harness.model.calls.length;
    expect(await failureOf(await harness.startRun())).toMatchObject({ type });
    expect(harness.model.calls.length - before).toBe(1);
  });

  test('a 401 says what to do, and no secret reaches history', async () => {
    const secret = 'sk-ant-verysecretkey-0123456789';
    const told = `invalid x-api-key ${secret}`;
    harness.model.setScript(() => fail(401, { type: 'authentication_error', message: told }));
    const handle = await harness.startRun();
    const failure = await failureOf(handle);
    expect(failure.type).toBe('Model.Unauthorized');
    expect(failure.message).toContain('Set a valid `ANTHROPIC_API_KEY`');
    const [execution] = await historiesOf(harness.client, handle.workflowId);
    const everything = Buffer.from(JSON.stringify(execution)).toString('utf8');
    expect(everything).not.toContain('verysecret');
    expect(everything).not.toContain(Buffer.from('verysecret').toString('base64').slice(0, 10));
  });
});
