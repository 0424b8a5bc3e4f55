import type { ConversationPage } from '../../../client/conversation/conversation';
import { FocusReader } from '../../../cli/ui/live/focus-reader';
import type { PageSource } from '../../../cli/ui/page-source';
import { until } from '../../support/until';

test('an event that a shared read has missed is shown when nothing else happens', async () => {
  let total = 1;
  let reads = 0;
  const page = (): ConversationPage => ({ agent: '', prompt: null, entries: [], total, speaking: null });
  const old = page();
  // As if it had been read just before the event, and were shared with the next one who asks.
  const source = { entries: () => Promise.resolve((reads += 1) < 3 ? old : page()), speaking: () => null };
  const reader = new FocusReader(source as unknown as PageSource, 'r1', '', () => false);
  const seen: number[] = [];
  const stop = reader.listen({ entries: (_, count) => seen.push(count), speaking: () => undefined });
  await until(() => seen.at(-1) === 1 || undefined);
  total = 2;
  await reader.poke();
  await until(() => seen.at(-1) === 2 || undefined);
  stop();
  reader.close();
});
