import type { Client } from '@temporalio/client';
import { withConnection, type CliContext } from './context';
import { followRun } from './follow';
import { workflowPage } from './links';
import type { RunOptions } from './run-options';
import type { StartedRun } from './start-root';

/** Starts something that is a run to its user, and prints its id or follows it. */
export async function startAndTell(
  context: CliContext,
  options: Pick<RunOptions, 'follow' | 'json'>,
  start: (client: Client, taskQueue: string) => Promise<StartedRun>,
): Promise<void> {
  const { terminal } = context;
  // A store that can't be used is found now, not by the first step of a run that nobody can finish.
  await context.openStore();
  await withConnection(context, async ({ client, namespace, uiUrl }) => {
    const started = await start(client, context.settings().taskQueue);
    const page = uiUrl === undefined ? undefined : workflowPage(uiUrl, namespace, started.workflowId);
    if (!started.isNew) terminal.warn(`Run ${started.runId} exists already: attached to it, nothing started.`);
    if (page !== undefined) terminal.warn(`Web UI: ${page}`);
    if (options.follow === true) return followRun(context, client, started.runId, options.json ?? false);
    terminal.print(options.json === true ? JSON.stringify({ ...started, page: page ?? null }) : started.runId);
    terminal.warn(`Follow it with: baton show ${started.runId} --follow`);
  });
}
