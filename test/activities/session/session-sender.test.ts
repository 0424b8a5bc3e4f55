import { EventEmitter, once } from 'node:events';
import type { Client } from '@temporalio/client';
import { RequestWithdrawnError, SessionSender } from '../../../activities/session/session-sender';
import type { ApplyReply, ApplyRequest, PackedReplies } from '../../../domain/session';

interface SentUpdate {
  readonly host: string;
  readonly name: string;
  readonly updateId: string;
  readonly requests: readonly ApplyRequest[];
  answer(replies?: PackedReplies): void;
  fail(error: Error): void;
}

/** The only part of a client that the sender needs. Every Update waits until the test answers it. */
class FakeClient {
  readonly sent: SentUpdate[] = [];
  private readonly emitter = new EventEmitter();

  /** Waits until the Update with this number, counted from 0, is sent. */
  async update(index: number): Promise<SentUpdate> {
    for (;;) {
      const update = this.sent[index];
      if (update !== undefined) return update;
      await once(this.emitter, 'sent');
    }
  }

  asClient(): Client {
    const getHandle = (host: string): unknown => ({
      executeUpdate: (name: string, { args, updateId }: { args: [{ requests: ApplyRequest[] }]; updateId: string }) =>
        new Promise<PackedReplies>((resolve, reject) => {
          const [{ requests }] = args;
          const answer = (replies = echo(requests)): void => {
            resolve(replies);
          };
          this.sent.push({ host, name, updateId, requests, answer, fail: reject });
          this.emitter.emit('sent');
        }),
    });
    return { workflow: { getHandle } } as unknown as Client;
  }
}

/** Replies that contain the number of their request. */
function echo(requests: readonly ApplyRequest[]): PackedReplies {
  return {
    replies: requests.map(({ seq, since }) => ({
      ok: true,
      version: seq,
      verdicts: [],
      update: { delta: { from: since, to: seq, slices: {} } },
    })),
  };
}

const request = (writer: string, seq: number, text = ''): ApplyRequest => ({
  writer,
  epoch: 'e1',
  at: 1,
  seq,
  since: 0,
  turn: 1,
  resent: false,
  digest: 'd',
  wanted: [{ tool: 'add_note', callId: text, isError: false, changes: [], events: [] }],
});
const versionOf = (reply: ApplyReply): number => (reply.ok ? reply.version : -1);

describe('the sender of session changes', () => {
  let client: FakeClient;
  let sender: SessionSender;
  beforeEach(() => {
    client = new FakeClient();
    sender = new SessionSender(client.asClient());
  });

  test('sends concurrent requests of many agents as one Update, and returns to each its own reply', async () => {
    const replies = Array.from({ length: 50 }, (_, index) => sender.apply('host', request(`w${index}`, index)));
    const update = await client.update(0);
    expect(update).toMatchObject({ host: 'host', name: 'applyTurns' });
    update.answer();
    expect((await Promise.all(replies)).map(versionOf)).toEqual(Array.from({ length: 50 }, (_, index) => index));
    expect(client.sent).toHaveLength(1);
  });

  test('does not listen to the signal of a request any longer than it takes', async () => {
    const { signal } = new AbortController();
    const added = jest.spyOn(signal, 'addEventListener');
    const removed = jest.spyOn(signal, 'removeEventListener');
    const answered = sender.apply('host', request('ada', 0), signal);
    (await client.update(0)).answer();
    await answered;
    const failed = sender.apply('host', request('ada', 1), signal);
    (await client.update(1)).fail(new Error('gone'));
    await expect(failed).rejects.toThrow('gone');
    expect(added).toHaveBeenCalledTimes(2);
    expect(removed.mock.calls.map(([, listener]) => listener)).toEqual(added.mock.calls.map(([, one]) => one));
  });

  test('has one pending Update per host; later requests are sent with the next one, in order', async () => {
    const first = sender.apply('host', request('ada', 0));
    const update = await client.update(0);
    const later = [1, 2, 3].map((seq) => sender.apply('host', request('bob', seq)));
    const elsewhere = sender.apply('other', request('cyd', 9));
    (await client.update(1)).answer();
    expect(versionOf(await elsewhere)).toBe(9);
    expect(client.sent.map(({ host }) => host)).toEqual(['host', 'other']);
    update.answer();
    await first;
    const next = await client.update(2);
    expect(next.requests.map(({ writer, seq }) => `${writer} ${seq}`)).toEqual(['bob 1', 'bob 2', 'bob 3']);
    next.answer();
    expect((await Promise.all(later)).map(versionOf)).toEqual([1, 2, 3]);
  });

  test('sends the next request at once after everything was answered', async () => {
    for (const seq of [0, 1]) {
      const reply = sender.apply('host', request('ada', seq));
      (await client.update(seq)).answer();
      expect(versionOf(await reply)).toBe(seq);
    }
  });

  test('splits by number and by size, but sends even a single request that is too large', async () => {
    const many = Array.from({ length: 100 }, (_, index) => sender.apply('many', request(`w${index}`, index)));
    const half = 'x'.repeat(300 * 1024);
    const large = [0, 1, 2].map((seq) =>
      sender.apply('large', request(`w${seq}`, seq, seq === 2 ? half + half : half)),
    );
    const counts = { many: [] as number[], large: [] as number[] };
    for (let index = 0; index < 5; index += 1) {
      const update = await client.update(index);
      counts[update.host as keyof typeof counts].push(update.requests.length);
      update.answer();
    }
    await Promise.all([...many, ...large]);
    expect(counts).toEqual({ many: [64, 36], large: [1, 1, 1] });
  });

  test('rejects every request of an Update that failed, and continues with the next', async () => {
    const failing = ['ada', 'bob'].map((writer) => sender.apply('host', request(writer, 0)));
    const update = await client.update(0);
    const next = sender.apply('host', request('cyd', 5));
    update.fail(new Error('no connection'));
    const settled = await Promise.allSettled(failing);
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    (await client.update(1)).answer();
    expect(versionOf(await next)).toBe(5);
  });

  test('rejects a request that the host left unanswered', async () => {
    const replies = ['ada', 'bob'].map((writer) => sender.apply('host', request(writer, 3)));
    (await client.update(0)).answer(echo([request('ada', 3)]));
    expect(versionOf(await replies[0]!)).toBe(3);
    await expect(replies[1]).rejects.toThrow('returned no reply to a request');
  });

  test('uses the same Update id for the same requests, and a different one for others', async () => {
    const idOf = async (...requests: readonly ApplyRequest[]): Promise<string> => {
      const before = client.sent.length;
      const replies = requests.map((one) => sender.apply('host', one));
      const update = await client.update(before);
      update.answer();
      await Promise.all(replies);
      return update.updateId;
    };
    const first = await idOf(request('ada', 0), request('bob', 0));
    expect(await idOf(request('ada', 0), request('bob', 0))).toBe(first);
    expect(await idOf(request('bob', 0), request('ada', 0))).not.toBe(first);
    expect(await idOf(request('ada', 0))).not.toBe(first);
    expect(await idOf(request('ada', 1), request('bob', 0))).not.toBe(first);
  });

  test('adds the session that several replies share to each of them', async () => {
    const replies = ['ada', 'bob'].map((writer) => sender.apply('host', request(writer, 0)));
    const update = await client.update(0);
    const newest = { version: 7, slices: {} };
    const packed = { ok: true, version: 7, verdicts: [], update: 'newest' } as const;
    update.answer({ replies: [packed, packed], newest });
    for (const reply of replies) expect(await reply).toMatchObject({ version: 7, update: { whole: newest } });
  });

  test('withdraws a request that nobody waits for any more, so that retries do not pile up behind a busy host', async () => {
    const client = new FakeClient();
    const sender = new SessionSender(client.asClient());
    const first = sender.apply('host', request('ada', 0));
    const busy = await client.update(0);
    const impatient = new AbortController();
    const withdrawn = sender.apply('host', request('bob', 1), impatient.signal);
    const patient = sender.apply('host', request('bob', 2), new AbortController().signal);
    impatient.abort();
    await expect(withdrawn).rejects.toThrow(RequestWithdrawnError);
    busy.answer();
    await first;
    const next = await client.update(1);
    expect(next.requests.map(({ seq }) => seq)).toEqual([2]);
    next.answer();
    expect(await patient).toMatchObject({ ok: true, version: 2 });
    expect(client.sent).toHaveLength(2);
  });
});
