import Anthropic from '@anthropic-ai/sdk';
import {
  failFirstAttempts,
  createGate,
  dropConnection,
  endEarly,
  fail,
  failMidStream,
  hang,
  overloaded,
  rateLimited,
  say,
  serverError,
} from '../../../testing/scripted-model';
import { ask, clientOf, closeAll, errorOf, start } from './support';

afterEach(closeAll);

describe('an error response', () => {
  it('may ask to wait, in a header that the client exposes', async () => {
    const { client, model } = await start(() => rateLimited({ retryAfterSeconds: 7 }));
    const error = await errorOf(client.messages.create(ask('Hi')));
    expect(error).toBeInstanceOf(Anthropic.RateLimitError);
    expect(error).toMatchObject({ status: 429, type: 'rate_limit_error' });
    expect(error.headers?.get('retry-after')).toBe('7');
    expect(error.requestID).toMatch(/^req_/);
    expect(model.calls).toMatchObject([{ outcome: 'failed', status: 429 }]);
  });

  it.each([
    [529, overloaded(), 'overloaded_error'],
    [500, serverError(), 'api_error'],
    [403, fail(403), 'permission_error'],
    [418, fail(418, { type: 'teapot_error', message: 'short and stout' }), 'teapot_error'],
  ])('has status %i and its type', async (status, reply, type) => {
    const { client } = await start(() => reply);
    expect(await errorOf(client.messages.stream(ask('Hi')).finalMessage())).toMatchObject({ status, type });
  });

  it('contains the error when the script itself throws', async () => {
    const { client } = await start(() => {
      throw new Error('no such turn');
    });
    expect((await errorOf(client.messages.create(ask('Hi')))).message).toContain('The script failed: no such turn');
  });
});

describe('attempts', () => {
  it('are counted per request body', async () => {
    const { client, model } = await start(
      failFirstAttempts([overloaded(), dropConnection()], (call) => say(`attempt ${call.attempt}`)),
    );
    await errorOf(client.messages.create(ask('Hi')));
    await errorOf(client.messages.create(ask('Hi')));
    expect((await client.messages.create(ask('Hi'))).content).toMatchObject([{ text: 'attempt 2' }]);
    await errorOf(client.messages.create(ask('Something else')));
    expect(model.calls.map(({ index, attempt, outcome }) => [index, attempt, outcome])).toEqual([
      [0, 0, 'failed'],
      [1, 1, 'dropped'],
      [2, 2, 'answered'],
      [3, 0, 'failed'],
    ]);
    expect(model.answered).toBe(1);
  });

  it('are made by the client itself when retries are enabled', async () => {
    const { model } = await start(failFirstAttempts([rateLimited({ retryAfterSeconds: 0.02 })], () => say('ok')));
    const patient = new Anthropic({ apiKey: 'any', baseURL: model.baseUrl, maxRetries: 1 });
    expect((await patient.messages.create(ask('Hi'))).content).toMatchObject([{ text: 'ok' }]);
    expect(model.calls).toHaveLength(2);
  });
});

describe('a stream', () => {
  it('fails in the middle with an error event', async () => {
    const { client, model } = await start(() => failMidStream());
    const stream = client.messages.stream(ask('Hi'));
    let text = '';
    stream.on('text', (piece) => (text += piece));
    expect(await errorOf(stream.finalMessage())).toMatchObject({ status: undefined, type: 'overloaded_error' });
    expect(text).toBe('This ans');
    expect(model.calls).toMatchObject([{ outcome: 'failed', status: 200 }]);
  });

  it.each([0, 1, 5])('loses its connection after %i events', async (afterEvents) => {
    const { client, model } = await start(() => dropConnection({ afterEvents }));
    const seen: string[] = [];
    const stream = client.messages.stream(ask('Hi')).on('streamEvent', ({ type }) => seen.push(type));
    await expect(stream.finalMessage()).rejects.toThrow();
    expect(seen.length).toBeLessThanOrEqual(afterEvents);
    expect(model.calls).toMatchObject([{ outcome: 'dropped' }]);
  });

  it('may end properly with an incomplete message', async () => {
    const { client } = await start(() => endEarly({ afterEvents: 4 }));
    await expect(client.messages.stream(ask('Hi')).finalMessage()).rejects.toThrow(/without producing/);
  });

  it('is interrupted before the first byte when the client did not request a stream', async () => {
    const { client } = await start((call) =>
      call.lastUserText === 'drop' ? dropConnection({ afterEvents: 3 }) : failMidStream(),
    );
    expect(await errorOf(client.messages.create(ask('drop')))).toBeInstanceOf(Anthropic.APIConnectionError);
    expect(await errorOf(client.messages.create(ask('fail')))).toMatchObject({ status: 529 });
  });
});

describe('a client that gives up', () => {
  it.each([0, 4])('is recorded as aborted while the model hangs after %i events', async (afterEvents) => {
    const { client, model } = await start(() => hang({ afterEvents }));
    const stream = client.messages.stream(ask('Hi'));
    const failed = errorOf(stream.finalMessage());
    await model.waitForCall(0);
    stream.abort();
    expect(await failed).toBeInstanceOf(Anthropic.APIUserAbortError);
    expect(await model.waitForOutcome(0)).toMatchObject({ outcome: 'aborted' });
  });

  it('is noticed by a script that is still running', async () => {
    const gate = createGate();
    const { client, model } = await start(async (call) => {
      call.signal.addEventListener('abort', () => {
        gate.open();
      });
      await gate.opened;
      return say('too late');
    });
    const controller = new AbortController();
    const failed = errorOf(client.messages.create(ask('Hi'), { signal: controller.signal }));
    await model.waitForCall(0);
    controller.abort();
    await failed;
    expect(await model.waitForOutcome(0)).toMatchObject({ outcome: 'aborted', status: undefined });
  });

  it('is disconnected when the silence ends', async () => {
    const { client, model } = await start(() => hang({ ms: 30 }));
    expect(await errorOf(client.messages.create(ask('Hi')))).toBeInstanceOf(Anthropic.APIConnectionError);
    expect(model.calls).toMatchObject([{ outcome: 'dropped' }]);
  });
});

describe('the server', () => {
  it('closes at once, even with hanging connections', async () => {
    const { client, model } = await start(() => hang({ afterEvents: 2 }));
    const failed = client.messages
      .stream(ask('Hi'))
      .finalMessage()
      .catch(() => 'failed');
    const second = model.waitForCall(1);
    await model.waitForCall(0);
    // Would wait for ever if it waited for the connections, because the model hangs.
    await model.close();
    expect(await failed).toBe('failed');
    await expect(second).rejects.toThrow('The scripted model was closed');
    await model.close();
  });

  it('can delay a reply until a test releases it, and can change its script', async () => {
    const gate = createGate();
    const seen: number[] = [];
    const { client, model } = await start(async () => gate.opened.then(() => say('first')), {
      onCall: ({ index }) => seen.push(index),
    });
    const first = client.messages.create(ask('Hi'));
    expect(await model.waitForCall(0)).toMatchObject({ outcome: 'pending', usage: undefined });
    model.setScript(() => say('second'));
    expect((await client.messages.create(ask('Hi'))).content).toMatchObject([{ text: 'second' }]);
    gate.open();
    expect((await first).content).toMatchObject([{ text: 'first' }]);
    expect(seen).toEqual([0, 1]);
  });

  it('requires the right key and never repeats it', async () => {
    const { model } = await start(() => say('Hello.'), { apiKey: 'right' });
    const wrong = await errorOf(clientOf(model, 'wrong-key').messages.create(ask('Hi')));
    expect(wrong).toBeInstanceOf(Anthropic.AuthenticationError);
    expect(JSON.stringify(wrong.error)).not.toContain('wrong-key');
    expect((await errorOf(clientOf(model, '').models.list().then())).status).toBe(401);
    await clientOf(model, 'right').messages.create(ask('Hi'));
    expect(model.calls).toHaveLength(1);
    expect(model.rejected).toMatchObject([{ status: 401, path: '/v1/messages' }, { status: 401 }]);
  });
});
