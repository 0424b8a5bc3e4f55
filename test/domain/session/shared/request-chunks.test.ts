import { type RequestedChange, splitIntoRequests, VerdictCollector } from '../../../../domain/session';

const artifact = (index: number): RequestedChange['events'][number] => ({
  type: 'artifactWritten',
  value: { name: `a${index}`, ref: { hash: 'f'.repeat(64), bytes: 1, mediaType: 'text/plain' }, by: 'root' },
});
const call = (callId: string, events: number, more: Partial<RequestedChange> = {}): RequestedChange => ({
  tool: 'dispatch_subagents',
  callId,
  isError: false,
  changes: [],
  events: Array.from({ length: events }, (_, index) => artifact(index)),
  ...more,
});
const change = { path: 'a.ts', expectedHash: null, newHash: 'a'.repeat(64), bytes: 1 };
const wantedIn = (portions: ReturnType<typeof splitIntoRequests>): RequestedChange[][] =>
  portions.map((portion) => portion.map(({ wanted }) => wanted));

test('changes that fit are sent together, in the order of the calls', () => {
  const wanted = [call('1', 2), call('2', 0), call('3', 5)];
  expect(wantedIn(splitIntoRequests(wanted))).toEqual([wanted]);
  expect(splitIntoRequests([])).toEqual([]);
});

test('calls that fit alone but not together are not split', () => {
  const wanted = [call('1', 80), call('2', 80), call('3', 1)];
  expect(wantedIn(splitIntoRequests(wanted))).toEqual([[wanted[0]], [wanted[1], wanted[2]]]);
});

test('a thousand records of one call are split: files first, the tool call last, nothing lost or too large', () => {
  const large = call('big', 1_000, { changes: [change] });
  const portions = wantedIn(splitIntoRequests([call('before', 1), large, call('after', 1)]));
  const ofBig = portions.flat().filter(({ callId }) => callId === 'big');
  expect(ofBig.length).toBeGreaterThan(5);
  expect(ofBig.flatMap(({ events }) => events)).toEqual(large.events);
  expect(ofBig.map(({ changes }) => changes.length)).toEqual(ofBig.map((_, index) => (index === 0 ? 1 : 0)));
  expect(ofBig.map(({ tool }) => tool)).toEqual(ofBig.map((_, i) => (i === ofBig.length - 1 ? large.tool : null)));
  for (const portion of portions) {
    expect(JSON.stringify(portion).length).toBeLessThan(21_000);
    expect(portion.filter(({ callId }) => callId === 'big').length).toBeLessThanOrEqual(1);
  }
  expect(portions.flat().map(({ callId }) => callId)).toEqual(['before', ...ofBig.map(() => 'big'), 'after']);
});

test('after a refusal the rest of that call is omitted, and only of that call', () => {
  const portions = splitIntoRequests([call('big', 300), call('after', 1)]);
  const verdicts = new VerdictCollector(2);
  const sent = portions.map((portion, index) => {
    const wanted = portion.map((part) => verdicts.remaining(part));
    verdicts.add(
      portion,
      wanted.map(() => (index === 0 ? { complaint: 'No room.' } : {})),
    );
    return wanted;
  });
  const later = sent.slice(1).flat();
  expect(later.filter(({ callId, events }) => callId === 'big' && events.length > 0)).toEqual([]);
  expect(later.filter(({ tool, isError }) => tool !== null && isError)).toHaveLength(1);
  expect(later.at(-1)).toEqual(call('after', 1));
  expect(verdicts.collected()).toEqual([{ complaint: 'No room.' }, {}]);
});

test('remarks of several chunks are joined in order', () => {
  const portions = splitIntoRequests([call('big', 300)]);
  const verdicts = new VerdictCollector(1);
  portions.forEach((portion, index) => {
    verdicts.add(portion, [{ remark: `Part ${index + 1}.` }]);
  });
  expect(verdicts.collected()[0]?.remark).toMatch(/^Part 1\. Part 2\./);
});
