import type { Client } from '@temporalio/client';
import type { StatusSnapshot } from '../../domain/agent/result';
import { CliError, exitCodes } from '../context';
import type { CliContext } from '../context-merging';
import { formatDuration, formatShare } from '../../client/format';
import { liveLine, type LiveLine } from './live-line';
import { outcomeOf, type RunOutcome } from '../../client/agent/outcome';
import { printOutcome } from './print-outcome';
import { queryRunStatus } from '../../client/agent/run-view';
import { untilInterrupted } from '../signals';

const pollMs = 250;

/** Shows a run's progress until it ends, then its outcome. Ctrl-C stops following, not the run. */
export async function followRun(context: CliContext, client: Client, runId: string, json: boolean): Promise<void> {
  const stopped = `Run ${runId} continues. Follow it with: baton show ${runId} --follow. Stop it with: baton cancel ${runId}`;
  const line = await liveLine(context.terminal);
  const watching = { stopped: false };
  let outcome: RunOutcome;
  try {
    outcome = await untilInterrupted(watch(client, runId, line, watching), stopped);
  } finally {
    watching.stopped = true;
    line.close();
  }
  await printOutcome(context, runId, outcome, json);
  if (outcome.kind !== 'completed')
    throw new CliError(exitCodes.failed, `Run ${runId} ${outcome.kind === 'failed' ? 'failed' : 'was cancelled'}.`);
}

async function watch(
  client: Client,
  runId: string,
  line: LiveLine,
  watching: { readonly stopped: boolean },
): Promise<RunOutcome> {
  const since = Date.now();
  const ending = outcomeOf(client, runId);
  // The race below handles the rejection. Until then it must not crash the process as unhandled.
  ending.catch(() => undefined);
  for (;;) {
    const snapshot = await queryRunStatus(client, runId);
    if (!watching.stopped) line.show(progress(snapshot), formatDuration(Date.now() - since));
    const outcome = await Promise.race([ending, pause()]);
    if (outcome !== undefined) return outcome;
  }
}

function progress(snapshot: StatusSnapshot | undefined): string {
  if (snapshot === undefined) return 'waiting for a worker';
  const { status, waitingFor, turn, occupancy, window } = snapshot;
  return `turn ${turn} · ${status}${waitingFor === '' ? '' : ` (${waitingFor})`} · ${formatShare(occupancy, window)}`;
}

function pause(): Promise<undefined> {
  return new Promise((resolve) =>
    setTimeout(() => {
      resolve(undefined);
    }, pollMs),
  );
}
