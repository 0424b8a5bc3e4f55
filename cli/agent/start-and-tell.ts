import type { Client } from '@temporalio/client';
import { withConnection, type CliContext } from '../context-merging';
import { followRun } from './follow';
import { workflowPage } from '../links';
import type { RunOptions } from '../run-options';
import type { StartedRun } from '../../client/agent/start-root';

/** Starts a run or a relay, and prints its id or follows it. */
export async function startAndFollow(
  context: CliContext,
  options: Pick<RunOptions, 'follow' | 'json'>,
  start: (client: Client, taskQueue: string) => Promise<StartedRun>,
): Promise<void> {
  const { terminal } = context;
  // Check the store now. Otherwise a store that can't be used would fail the first step of a run.
  await context.openStore();
  await withConnection(context, async ({ client, namespace, uiUrl }) => {
    const started = await start(client, context.settings().taskQueue);
    const page = uiUrl === undefined ? undefined : workflowPage(uiUrl, namespace, started.workflowId);
    if (!started.isNew) terminal.note(`Run ${started.runId} already exists. Attached to it; nothing was started.`);
    if (page !== undefined) terminal.note(`Web UI: ${page}`);
    if (options.follow === true) return followRun(context, client, started.runId, options.json ?? false);
    terminal.print(options.json === true ? JSON.stringify({ ...started, page: page ?? null }) : started.runId);
    terminal.note(`Follow it with: baton show ${started.runId} --follow`);
  });
}
