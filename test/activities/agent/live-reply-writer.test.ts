import { MockActivityEnvironment } from '@temporalio/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import { LiveReplyWriter } from '../../../activities/agent/turn/live-reply-writer';
import type { VolatileValues } from '../../../domain/store';
import { liveReplySchema } from '../../../domain/transcript';
import { until } from '../../support/until';

const agent = { workflowId: 'run/r1', attempt: 1 };

/** Runs as if inside an activity, because what fails is logged there. */
function inActivity<T>(work: () => Promise<T>): Promise<T> {
  return new MockActivityEnvironment().run(work);
}

describe('LiveReplyWriter', () => {
  test('writes what has arrived, bounded, and removes it at the end', () =>
    inActivity(async () => {
      const written: string[] = [];
      let removed = 0;
      const values: VolatileValues = {
        write: (_, bytes) => Promise.resolve(void written.push(Buffer.from(bytes).toString())),
        read: () => Promise.resolve(undefined),
        remove: () => Promise.resolve(void (removed += 1)),
      };
      const live = new LiveReplyWriter(values, agent);
      const listen = live.begin(3);
      listen?.({ type: 'thinking', text: 'Hm.' });
      listen?.({ type: 'text', text: 'x'.repeat(100_000) });
      listen?.({ type: 'text', text: 'the end' });
      listen?.({ type: 'toolCall', name: 'grep' });
      const [text = ''] = await until(() => (written.length > 0 ? written : undefined));
      const shown = liveReplySchema.parse(JSON.parse(text));
      expect(shown).toMatchObject({ turn: 3, attempt: 1, thinking: 'Hm.', calling: ['grep'], head: null });
      expect(shown.text).toHaveLength(32_000);
      expect(shown.text.endsWith('the end')).toBe(true);
      live.close();
      await until(() => (removed === 1 ? true : undefined));
    }));

  test('writes nothing for a turn that ends at once, and needs no volatile values', () =>
    inActivity(async () => {
      const refuse = jest.fn(() => Promise.resolve());
      const live = new LiveReplyWriter(
        { write: refuse, remove: refuse, read: () => Promise.resolve(undefined) },
        agent,
      );
      live.begin(1)?.({ type: 'text', text: 'Quick.' });
      live.close();
      await sleep(0);
      expect(refuse).not.toHaveBeenCalled();
      expect(new LiveReplyWriter(undefined, agent).begin(1)).toBeUndefined();
    }));

  test('goes on when the store fails or never answers', () =>
    inActivity(async () => {
      let writes = 0;
      const fail = (): Promise<void> => Promise.reject(new Error('disk full'));
      const values = { write: () => ((writes += 1), fail()), remove: fail, read: () => Promise.resolve(undefined) };
      const live = new LiveReplyWriter(values, agent);
      const listen = live.begin(1);
      await until(() => {
        listen?.({ type: 'text', text: '.' });
        return writes > 1 ? true : undefined;
      });
      live.close();
      const stuck = { ...values, write: () => new Promise<void>(() => undefined) };
      const waiting = new LiveReplyWriter(stuck, agent);
      waiting.begin(1);
      await sleep(300);
      waiting.close();
    }));
});
