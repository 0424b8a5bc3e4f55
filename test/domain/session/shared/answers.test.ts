import type { JsonObject } from '../../../../domain/kernel';
import { type Session, unpackReplies } from '../../../../domain/session';
import { packReplies, type VersionedOutcome } from '../../../../domain/session/shared/host';

const note = (index: number, size: number): JsonObject => ({ text: `${index} `.padEnd(size, 'x'), by: 'root' });
/** A session with notes of this length, one per version. */
const sessionOf = (version: number, size: number): Session => ({
  version,
  slices: { notes: Array.from({ length: version }, (_, index) => note(index, size)) },
});
const taken = (version: number, since: number): VersionedOutcome => ({
  ok: true,
  version,
  since,
  verdicts: [{ remark: `of ${version}` }],
});
const bytes = (value: unknown): number => JSON.stringify(value).length;

test('fifty writers that all need the whole session share one copy of the newest version', () => {
  const newest = sessionOf(60, 3_000);
  const outcomes = Array.from({ length: 50 }, (_, index) => taken(index + 11, index));
  const packed = packReplies(outcomes, [], newest);
  expect(bytes(packed)).toBeLessThan(bytes(newest) + 50 * 100);
  for (const reply of unpackReplies(packed)) expect(reply).toMatchObject({ version: 60, update: { whole: newest } });
});

test('sixty-four writers with the same version share one copy of the changes since, within the limit for history', () => {
  const [before, newest] = [sessionOf(10, 200), sessionOf(74, 200)];
  const packed = packReplies(
    Array.from({ length: 64 }, (_, index) => taken(11 + index, 10)),
    [before],
    newest,
  );
  expect(bytes(packed)).toBeLessThan(32 * 1024);
  const replies = unpackReplies(packed);
  const added = newest.slices['notes']!.slice(10);
  const delta = { from: 10, to: 74, slices: { notes: [{ keep: [0, 10] }, { add: added }] } };
  expect(replies[0]).toEqual({ ok: true, version: 11, verdicts: [{ remark: 'of 11' }], update: { delta } });
  expect(replies[63]).toEqual({ ok: true, version: 74, verdicts: [{ remark: 'of 74' }], update: { delta } });
});

test('sixty-four writers with as many versions get small changes each', () => {
  const remembered = Array.from({ length: 64 }, (_, index) => sessionOf(index, 200));
  const outcomes = Array.from({ length: 64 }, (_, index) => taken(64 + index, index));
  const packed = packReplies(outcomes, remembered, sessionOf(128, 200));
  expect(bytes(packed)).toBeLessThan(1024 * 1024);
  for (const reply of packed.replies) expect(bytes(reply)).toBeLessThan(32 * 1024);
});

test('changes that do not fit are replaced by the whole session; verdicts and refusals stay', () => {
  const remembered = [sessionOf(1, 100_000), sessionOf(2, 100_000)];
  const newest = sessionOf(6, 100_000);
  const packed = packReplies(
    [taken(5, 2), { ok: false, reason: 'staleEpoch', version: 5 }, taken(6, 1)],
    remembered,
    newest,
  );
  const [first, refused, last] = unpackReplies(packed);
  expect(first).toMatchObject({ ok: true, update: { delta: { from: 2, to: 6 } } });
  expect(refused).toEqual({ ok: false, reason: 'staleEpoch' });
  expect(last).toEqual({ ok: true, version: 6, verdicts: [{ remark: 'of 6' }], update: { whole: newest } });
});
