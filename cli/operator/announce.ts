import type { Client } from '@temporalio/client';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OpenIncident } from '../../client/operator/decide';
import { readOpenIncidents } from '../../client/operator/open-incidents';
import type { Terminal } from '../context';
import type { Line } from '../screen/style';
import { incidentLines } from './incident-lines';
import { runNotifyCommand } from './notify-command';

const pollMs = 1_000;
/** Longest time that the end of a command waits for notifications, in milliseconds. */
const patienceMs = 5_000;

/** How incidents are announced. */
export interface AnnouncerOptions {
  readonly terminal: Pick<Terminal, 'bell' | 'note'>;
  /** Command to run for each new incident. */
  readonly notify?: string | undefined;
  /** Prints the lines of an announcement; omitted where incidents are shown otherwise. */
  readonly print?: ((lines: readonly Line[]) => void) | undefined;
  /** Number of columns of the screen; undefined without one. */
  readonly columns?: (() => number | undefined) | undefined;
  /** Whether times are in UTC. Default: local. */
  readonly utc?: boolean;
}

/** Announces each incident once: prints it, rings the bell, and runs the user's command. */
export class Announcer {
  private readonly announced = new Set<string>();
  private readonly notifying = new Set<Promise<void>>();

  constructor(private readonly options: AnnouncerOptions) {}

  /** Announces the incidents that are new among those that are open. */
  announce(open: readonly OpenIncident[]): void {
    const { terminal, notify, print, columns, utc = false } = this.options;
    const fresh = open.filter((one) => !this.announced.has(keyOf(one)));
    for (const one of fresh) {
      this.announced.add(keyOf(one));
      print?.(incidentLines(one, { now: Date.now(), utc }, columns?.()));
      terminal.bell();
      if (notify !== undefined) this.notify(notify, one);
    }
  }

  private notify(command: string, open: OpenIncident): void {
    const done = runNotifyCommand(command, open).then((problem) => {
      if (problem !== undefined) this.options.terminal.note(`The command of --notify failed: ${problem}`);
      this.notifying.delete(done);
    });
    this.notifying.add(done);
  }

  /** Waits a moment for commands that still run. */
  async finish(): Promise<void> {
    const patience = new AbortController();
    await Promise.race([
      Promise.all(this.notifying),
      sleep(patienceMs, undefined, { signal: patience.signal }).catch(() => undefined),
    ]);
    patience.abort();
  }
}

/** After a retry, the same agent may have the next incident. */
function keyOf({ workflowId, incident }: OpenIncident): string {
  return `${workflowId} ${incident.id} ${incident.since}`;
}

/** Announces the incidents of an agent and everything below it until `stopped` is aborted. Never throws. */
export async function watchIncidents(
  client: Client,
  workflowId: string,
  announcer: Announcer,
  stopped: AbortSignal,
): Promise<void> {
  while (!stopped.aborted) {
    // While the server does not answer, whoever follows the run says so.
    const open = await readOpenIncidents(client, workflowId).catch(() => []);
    if (!isAborted(stopped)) announcer.announce(open);
    await sleep(pollMs, undefined, { signal: stopped }).catch(() => undefined);
  }
  await announcer.finish();
}

/** Not a narrowed property: it changes while something is awaited. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}
