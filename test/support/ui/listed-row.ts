import { RunLister } from '../../../client/view/list-runs';
import type { RunRow } from '../../../client/view/run-view';
import type { Harness } from '../harness';
import { until } from '../until';

/** Waits until the page's list of runs has a row like this. The server's search index lags behind. */
export function listedRow(
  { client }: Pick<Harness, 'client'>,
  store: Harness['store'] | undefined,
  workflowId: string,
  isReady: (row: RunRow) => boolean = () => true,
): Promise<RunRow> {
  const lister = new RunLister(client, store);
  return until(async () => {
    const runs = await lister.list();
    const [row] = await lister.complete(runs.filter(({ runId }) => workflowId === `run/${runId}`));
    return row !== undefined && isReady(row) ? row : undefined;
  });
}
