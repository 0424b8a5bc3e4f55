import type { Client } from '@temporalio/client';
import { Command } from 'commander';
import { describeRun } from '../../client/agent/outcome';
import type { RunStore } from '../../domain/store';
import { readEvents } from '../../client/event/read-events';
import { collectOften } from '../collect-often';
import { type CliContext, CliError, exitCodes, withConnection } from '../context';
import { anyDurationMs } from '../options';
import { ServerOutage } from '../server-outage';
import { onStopSignal } from '../signals';
import { addTimeOption, type TimeOption } from '../screen/time-option';
import { eventLine } from './event-line';

interface TailOptions extends TimeOption {
  readonly follow?: boolean;
  readonly json?: boolean;
  readonly cursor?: string;
  readonly since?: number;
}

/** `baton tail`: prints the events of a run. */
export function tailCommand(context: CliContext): Command {
  const command = new Command('tail')
    .description('print the events of all agents of a run, in order')
    .argument('<run>', 'id of the run')
    .option('-f, --follow', 'wait for more events until the run has ended')
    .option('--json', 'print JSON lines, each with a cursor for continuing after it')
    .option('--cursor <cursor>', 'only events after the one with this cursor')
    .option('--since <duration>', 'only events of the last 30s, 10m, 2h or 1d', anyDurationMs);
  return addTimeOption(command)
    .addHelpText('after', examples)
    .action((runId: string, options: TailOptions) => {
      collectOften();
      return withConnection(context, ({ client }) => printEvents(context, client, runId, options));
    });
}

async function printEvents(context: CliContext, client: Client, runId: string, options: TailOptions): Promise<void> {
  const store = await storeOf(context, runId);
  const stopped = new AbortController();
  const release = onStopSignal(() => {
    stopped.abort();
  });
  const from = startOf(options);
  let cursor = options.cursor;
  const read = async (): Promise<void> => {
    const reading = {
      follow: options.follow ?? false,
      signal: stopped.signal,
      cursors: options.json ?? false,
      ...store,
      onEnd: (last: string) => void (cursor = last),
    };
    for await (const event of readEvents(client, runId, cursor, reading)) {
      if (event.at < from) continue;
      if (options.json === true) context.terminal.printJson(event);
      else context.terminal.print(eventLine(event, options));
    }
  };
  try {
    await (options.follow === true ? readThroughOutages(context, client, runId, stopped.signal, read) : read());
  } finally {
    release();
  }
  if (stopped.signal.aborted) throw new CliError(exitCodes.interrupted, 'Stopped.', continuation(runId, cursor));
}

/** The time of the first event to print, ISO 8601; empty for all events. */
function startOf({ since }: TailOptions): string {
  return since === undefined ? '' : new Date(Date.now() - since).toISOString();
}

/** The store is used for the texts of results, if it is there: everything else is in the histories. */
async function storeOf(context: CliContext, runId: string): Promise<{ readonly store?: RunStore }> {
  try {
    return { store: (await context.openStore()).forRun(runId) };
  } catch {
    return {};
  }
}

/** Continues after the last event when the server answers again. */
async function readThroughOutages(
  { terminal }: CliContext,
  client: Client,
  runId: string,
  stopped: AbortSignal,
  read: () => Promise<void>,
): Promise<void> {
  const outage = new ServerOutage((text) => {
    terminal.note(text);
  }, stopped);
  await outage.retryingWait(() => describeRun(client, runId), read);
}

const examples = `
Reads Temporal's histories, so it needs no worker. The beginning of results is read from the store, if it is there. The
event kinds are described in docs/events.md.

Examples:
  $ baton tail 20261116-031522-k3f9q1
  $ baton tail 20261116-031522-k3f9q1 --follow
  $ baton tail 20261116-031522-k3f9q1 --since 10m
  $ baton tail 20261116-031522-k3f9q1 --json | jq -c 'select(.kind == "session.event") | [.writer, .type, .value]'
  $ baton tail 20261116-031522-k3f9q1 --json --cursor "$(tail -n 1 seen.jsonl | jq -r .cursor)" >> seen.jsonl
`;

function continuation(runId: string, cursor: string | undefined): string {
  return `Continue with: baton tail ${runId} --follow${cursor === undefined ? '' : ` --cursor ${cursor}`}`;
}
