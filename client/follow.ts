import type { Client } from '@temporalio/client';
import type { RunSnapshot } from '../domain/run/result';
import { CliError, exitCodes } from './cli';
import type { CliContext } from './context';
import { duration, share } from './format';
import { liveLine } from './live-line';
import { outcomeOf, type RunOutcome } from './outcome';
import { printOutcome } from './print-outcome';
import { snapshotOf } from './run-view';

const pollMs = 250;

/** Shows a run's progress until it ends, then how it ended. */
export async function followRun(context: CliContext, client: Client, runId: string, json: boolean): Promise<void> {
  const line = await liveLine(context.terminal);
  const since = Date.now();
  let ended: RunOutcome | undefined;
  const outcome = outcomeOf(client, runId).finally(() => undefined);
  outcome.then((value) => (ended = value)).catch(() => undefined);
  try {
    while (ended === undefined) {
      line.show(progress(await snapshotOf(client, runId)), duration(Date.now() - since));
      await Promise.race([outcome, pause()]);
    }
  } finally {
    line.close();
  }
  await printOutcome(context, runId, await outcome, json);
  if (ended.kind !== 'completed')
    throw new CliError(exitCodes.failed, `Run ${runId} ${ended.kind === 'failed' ? 'failed' : 'was cancelled'}.`);
}

function progress(snapshot: RunSnapshot | undefined): string {
  if (snapshot === undefined) return 'waiting for a worker';
  const { status, waitingFor, turn, occupancy, window } = snapshot;
  return `turn ${turn} · ${status}${waitingFor === '' ? '' : ` (${waitingFor})`} · ${share(occupancy, window)}`;
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, pollMs));
}
