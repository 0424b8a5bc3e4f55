import type { Session } from '../../../domain/session';
import { packReplies, unpackReplies } from '../../../domain/shared-session/answers';
import type { ApplyReply } from '../../../domain/shared-session/protocol';

const session = (version: number, text: string): Session => ({ version, slices: { notes: [{ text, by: 'root' }] } });
const newest = session(9, 'x'.repeat(200_000));
const whole = (version: number): ApplyReply => ({
  ok: true,
  version,
  verdicts: [],
  update: { whole: session(version, 'x'.repeat(200_000)) },
});
const delta = (version: number, size: number): ApplyReply => ({
  ok: true,
  version,
  verdicts: [{ remark: 'done' }],
  update: { delta: { from: 1, to: version, slices: { notes: [{ add: [{ text: 'x'.repeat(size), by: 'root' }] }] } } },
});

test('fifty writers who all need the whole session share one copy of it, the newest', () => {
  const packed = packReplies(
    Array.from({ length: 50 }, (_, index) => whole(index)),
    newest,
  );
  expect(JSON.stringify(packed).length).toBeLessThan(210_000);
  for (const reply of unpackReplies(packed)) expect(reply).toMatchObject({ version: 9, update: { whole: newest } });
});

test('changes without room are replaced by that copy as well; verdicts and refusals stay', () => {
  const refused: ApplyReply = { ok: false, reason: 'staleEpoch' };
  const packed = packReplies([delta(5, 400_000), refused, delta(7, 400_000)], newest);
  expect(JSON.stringify(packed).length).toBeLessThan(620_000);
  expect(unpackReplies(packed)).toEqual([
    delta(5, 400_000),
    refused,
    { ok: true, version: 9, verdicts: [{ remark: 'done' }], update: { whole: newest } },
  ]);
});

test('small changes travel alone', () => {
  const replies = [delta(5, 10), delta(6, 10)];
  expect(packReplies(replies, newest)).toEqual({ replies });
  expect(unpackReplies({ replies: packReplies(replies, newest).replies })).toEqual(replies);
});
