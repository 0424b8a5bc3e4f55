import { type ApplyRequest, filesSlice, recordsOf } from '../../../../domain/session';
import { maxRecentVersions } from '../../../../domain/session/shared/host';
import { followed, requestOf, start, TestHost, ticksSlice, wantedEvent } from './support';

const tick = (number: number) => wantedEvent('ticked', { number });
const file = (expectedHash: string | null, newHash: string) => ({
  tool: 'write_file',
  callId: 'call',
  isError: false,
  changes: [{ path: 'a.ts', expectedHash, newHash, bytes: 1 }],
  events: [],
});
/** Executions are named after the second of the server's clock in which they run: e1 is over before e2 starts. */
const request = (writer: string, epoch: string, seq: number, more: Partial<ApplyRequest> = {}): ApplyRequest =>
  requestOf({ writer, epoch, at: Number(epoch.slice(1)) * 1_000 + seq, seq, since: 0, wanted: [tick(seq)], ...more });
const ticksIn = ({ state }: TestHost): number[] => recordsOf(state.session, ticksSlice).map(({ number }) => number);
const hash = (letter: string): string => letter.repeat(64);

describe('the host of a shared session', () => {
  let host: TestHost;
  beforeEach(() => {
    host = new TestHost();
  });

  test('applies a repeated request once, even after other writes and after continue-as-new', () => {
    const first = host.apply(request('ada', 'e1', 0));
    host.apply(request('bob', 'e1', 0));
    host.continueAsNew();
    const again = host.apply(request('ada', 'e1', 0));
    expect(ticksIn(host)).toEqual([0, 0]);
    expect(again).toMatchObject({ ok: true, verdicts: first.ok ? first.verdicts : [] });
    // The repeated reply also contains what others have changed since.
    expect(followed(start, again)).toEqual(host.state.session);
  });

  test('refuses requests out of order, and a different request with the number of the last one', () => {
    host.apply(request('ada', 'e1', 0));
    const before = host.state;
    expect(host.apply(request('ada', 'e1', 2))).toEqual({ ok: false, reason: 'gap' });
    expect(host.apply(request('ada', 'e1', 0, { wanted: [tick(99)] }))).toEqual({ ok: false, reason: 'otherRequest' });
    expect(host.state).toBe(before);
  });

  test('fences off an execution once a later one of the same writer has written, whatever its numbers', () => {
    host.apply(request('ada', 'e1', 0));
    host.apply(request('ada', 'e1', 1));
    expect(host.apply(request('ada', 'e2', 7)).ok).toBe(true);
    for (const seq of [0, 1, 2]) expect(host.apply(request('ada', 'e1', seq))).toMatchObject({ reason: 'staleEpoch' });
    host.continueAsNew();
    expect(host.apply(request('ada', 'e1', 2))).toMatchObject({ reason: 'staleEpoch' });
    expect(host.apply(request('ada', 'e2', 8)).ok).toBe(true);
    expect(ticksIn(host)).toEqual([0, 1, 7, 8]);
  });

  test('fences off an execution that never wrote once a later one has, even after many more', () => {
    host.apply(request('ada', 'e2', 0));
    expect(host.apply(request('ada', 'e1', 0))).toEqual({ ok: false, reason: 'staleEpoch' });
    for (let later = 3; later < 120; later += 2) host.apply(request('ada', `e${later}`, 0));
    host.continueAsNew();
    for (const over of [1, 2, 3, 4, 60, 117, 118])
      expect(host.apply(request('ada', `e${over}`, 1))).toEqual({ ok: false, reason: 'staleEpoch' });
    expect(host.apply(request('ada', 'e119', 1)).ok).toBe(true);
  });

  test('answers requests that are repeated after a second reset to the same point, without applying them again', () => {
    host.apply(request('ada', 'e1', 0));
    host.apply(request('ada', 'e2', 1));
    const before = host.state;
    const again = host.apply(request('ada', 'e1', 0, { resent: true }));
    expect(again).toMatchObject({ ok: true, verdicts: [{ remark: expect.stringMatching(/^This was/) as unknown }] });
    expect(host.state).toBe(before);
    expect(host.apply(request('ada', 'e3', 1)).ok).toBe(true);
  });

  test('does not fence off a writer because of what another writer did', () => {
    host.apply(request('ada', 'e9', 0));
    expect(host.apply(request('bob', 'e1', 0)).ok).toBe(true);
  });

  test('still accepts a pending request of a reset execution until its successor writes', () => {
    host.apply(request('ada', 'e1', 0));
    expect(host.apply(request('ada', 'e1', 1)).ok).toBe(true);
    host.apply(request('ada', 'e2', 1, { wanted: [tick(10)] }));
    expect(ticksIn(host)).toEqual([0, 1, 10]);
  });

  test('does not return the verdicts of a later request for an earlier one', () => {
    host.apply(request('ada', 'e1', 0, { wanted: [file(null, hash('a'))] }));
    host.apply(request('ada', 'e1', 1, { wanted: [file(hash('f'), hash('b'))] }));
    host.apply(request('ada', 'e1', 2));
    const late = host.apply(request('ada', 'e1', 1, { wanted: [file(hash('f'), hash('b'))] }));
    expect(late).toMatchObject({
      ok: true,
      verdicts: [{ remark: expect.stringMatching(/^This was submitted before/) as unknown }],
    });
    expect(recordsOf(host.state.session, filesSlice).map((record) => record.hash)).toEqual([hash('a')]);
  });

  test('reports the current file to the loser of two writes to one file, and only to the loser', () => {
    const won = host.apply(request('ada', 'e1', 0, { wanted: [file(null, hash('a'))] }));
    const lost = host.apply(request('bob', 'e1', 0, { wanted: [file(null, hash('b'))] }));
    expect(won).toMatchObject({ verdicts: [{}] });
    expect(lost).toMatchObject({ verdicts: [{ complaint: expect.stringContaining(hash('a')) as unknown }] });
    const copy = followed(start, lost);
    const seen = recordsOf(copy, filesSlice)[0]!.hash;
    const repeated = request('bob', 'e1', 1, { since: copy.version, wanted: [file(seen, hash('b'))] });
    expect(host.apply(repeated)).toMatchObject({ verdicts: [{}] });
    expect(recordsOf(host.state.session, filesSlice).map((record) => record.hash)).toEqual([hash('b')]);
  });

  test('sends the whole session to a writer whose version is too old', () => {
    const slow = host.apply(request('slow', 'e1', 0));
    const copy = followed(start, slow);
    for (let seq = 0; seq <= maxRecentVersions; seq += 1) host.apply(request('fast', 'e1', seq));
    const reply = host.apply(request('slow', 'e1', 1, { since: copy.version }));
    expect(reply).toMatchObject({ update: { whole: { version: host.state.session.version } } });
    expect(followed(copy, reply)).toEqual(host.state.session);
  });

  test('stores a bounded amount per writer, however often it writes or is reset', () => {
    const writersBytes = (): number => JSON.stringify(host.state.writers).length;
    const sizes = [1, 2, 3, 4].map((round) => {
      for (let step = 0; step < 50; step += 1)
        for (const writer of ['ada', 'bob', 'cyd'])
          host.apply(request(writer, `e${round * 100 + Math.floor(step / 5)}`, step % 5));
      return writersBytes();
    });
    expect(sizes[3]).toBe(sizes[0]);
    expect(sizes[3]).toBeLessThan(3 * 200);
  });

  test('brings fifty writers of one Update to the same session with one copy of the changes', () => {
    const requests = Array.from({ length: 50 }, (_, index) => request(`w${index}`, 'e1', 0));
    const replies = host.applyAll(requests);
    expect(ticksIn(host)).toHaveLength(50);
    for (const reply of replies) expect(followed(start, reply)).toEqual(host.state.session);
    const next = requests.map(({ writer }) => request(writer, 'e1', 1, { since: host.state.session.version }));
    const before = host.state.session;
    for (const reply of host.applyAll(next)) expect(followed(before, reply)).toEqual(host.state.session);
  });
});
