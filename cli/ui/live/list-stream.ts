import type { PageSource, RunsQuery } from '../page-source';
import type { FrameWriter } from './viewer';

const lookMs = 1_000;

/**
 * Sends a list of runs to one page: first the newest ones, then those that are new or have changed, and how many there are.
 * A run that was sent is kept up to date even if the page's filter no longer matches it.
 */
export function streamList(source: PageSource, query: RunsQuery, writer: FrameWriter, epoch: string): void {
  const sent = new Map<string, string>();
  let sentCounts = '';
  let isReading = false;
  let seq = 0;
  const look = async (): Promise<void> => {
    if (isReading || writer.isFull) return;
    isReading = true;
    // What can't be read now is read at the next look.
    const list = await source.runs({ ...query, also: new Set(sent.keys()) }).catch(() => undefined);
    isReading = false;
    for (const run of list?.runs ?? []) {
      const text = JSON.stringify(run);
      if (sent.get(run.runId) !== text) writer.write({ kind: 'run', seq: (seq += 1), run });
      sent.set(run.runId, text);
    }
    if (list === undefined) return;
    const { counts, gaps } = list;
    const text = JSON.stringify([counts, gaps]);
    if (text !== sentCounts) writer.write({ kind: 'counts', counts, gaps });
    sentCounts = text;
  };
  writer.write({ kind: 'hello', epoch, seq, now: Date.now() });
  const timer = setInterval(() => void look(), lookMs);
  writer.onEvents({
    drain: () => undefined,
    close: () => {
      clearInterval(timer);
    },
  });
  void look();
}
