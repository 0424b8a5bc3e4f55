import type { Client } from '@temporalio/client';
import { Command } from 'commander';
import { setTimeout as sleep } from 'node:timers/promises';
import { findAgent, type FoundAgent } from '../../client/agent/find-agent';
import { BatonError } from '../../client/client-errors';
import { type AgentSession, readSession } from '../../client/session/read-session';
import { type CliContext, CliError, exitCodes, type Terminal, withConnection } from '../context';
import { ServerOutage } from '../server-outage';
import { untilInterrupted } from '../signals';
import { changeLines, sessionText } from './session-text';

interface SessionOptions {
  readonly slice?: string;
  readonly follow?: boolean;
  readonly json?: boolean;
}

/** Records of a slice that are shown without `--slice`. */
const recordsPerSlice = 20;

/** `baton session`: prints the session of an agent. */
export function sessionCommand(context: CliContext): Command {
  return new Command('session')
    .description('print the session of an agent: its plan, notes, artifacts, changed files and your own slices')
    .argument('<run>', 'id of the run, <run>/<delegation>, or a workflow id')
    .option('--slice <name>', 'print only this slice, with all its records')
    .option('-f, --follow', 'then print every change until the agent has ended')
    .option('--json', 'print JSON: one line, or with --follow one for each version')
    .addHelpText('after', examples)
    .action((target: string, options: SessionOptions) =>
      withConnection(context, async ({ client }) => {
        const agent = await findAgent(client, target);
        const printer = new SessionPrinter(context.terminal, options);
        if (options.follow === true) await follow(client, agent, printer, context.terminal);
        else printer.show(await readSession(client, agent.workflowId));
      }),
    );
}

const examples = `
While a batch of subagents runs, this is the live session that they share, whichever of them you name. Long fields are
cut, and only the last ${recordsPerSlice} records of a slice are shown; --json prints everything. A worker has to answer, also when the
run has ended.

Examples:
  $ baton session 20261116-031522-k3f9q1
  $ baton session 20261116-031522-k3f9q1 --slice plan --follow
  $ baton session 20261116-031522-k3f9q1/4f7s9k2m
  $ baton session 20261116-031522-k3f9q1 --json | jq '.slices.notes[].text'
`;

const pollMs = 1_000;
const mostMisses = 5;

interface Look {
  readonly isRunning: boolean;
  /** Undefined when no worker answered. */
  readonly session: AgentSession | undefined;
}

/** Shows the session again and again until the agent has ended. */
async function follow(
  client: Client,
  { workflowId }: FoundAgent,
  printer: SessionPrinter,
  terminal: Terminal,
): Promise<void> {
  const stopped = new AbortController();
  const outage = new ServerOutage((text) => {
    terminal.note(text);
  }, stopped.signal);
  let misses = 0;
  const look = async (): Promise<Look> => {
    // Looked up first: an agent that has ended by now no longer changes its session.
    const { isRunning } = await findAgent(client, workflowId);
    const reading = readSession(client, workflowId);
    misses = 0;
    return { isRunning, session: await (isRunning ? reading.catch(undefinedWithoutWorker) : reading) };
  };
  const watch = async (): Promise<void> => {
    for (;;) {
      const looked = await outage.retrying(look).catch((error: unknown) => {
        // A server that is being stopped may say for a moment that it does not know the run.
        if (isNotFound(error) && (misses += 1) < mostMisses) return undefined;
        throw error;
      });
      if (stopped.signal.aborted) return;
      if (looked !== undefined) printer.update(looked.session);
      if (looked?.isRunning === false) return;
      await sleep(pollMs, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
  };
  try {
    await untilInterrupted(watch(), 'Stopped following. The run continues.');
  } finally {
    stopped.abort();
  }
}

function isNotFound(error: unknown): boolean {
  return error instanceof BatonError && error.type === 'Client.NotFound';
}

/** A worker may be started while somebody follows. */
function undefinedWithoutWorker(error: unknown): undefined {
  if (error instanceof BatonError && error.type === 'Client.NoWorker') return undefined;
  throw error;
}

/** Prints a session: the whole of it the first time, then only what changes. */
class SessionPrinter {
  private last: AgentSession | undefined;
  private isWaiting = false;

  constructor(
    private readonly terminal: Terminal,
    private readonly options: SessionOptions,
  ) {}

  /** Prints a whole session. */
  show(session: AgentSession): void {
    const { slice, json } = this.options;
    this.last = slice === undefined ? session : onlySlice(session, slice);
    if (json === true) this.terminal.printJson(this.last);
    else this.terminal.print(sessionText(this.last, slice === undefined ? recordsPerSlice : Infinity));
  }

  /** Prints what changed since the last time; undefined when no worker answered. */
  update(session: AgentSession | undefined): void {
    if (session === undefined) {
      if (!this.isWaiting) this.terminal.note('No worker answers. Start one with: baton worker');
      this.isWaiting = true;
      return;
    }
    this.isWaiting = false;
    const { last, options } = this;
    if (last === undefined || (options.json === true && last.version !== session.version)) this.show(session);
    else {
      this.last = options.slice === undefined ? session : onlySlice(session, options.slice);
      for (const line of changeLines(last, this.last)) this.terminal.print(line);
    }
  }
}

/** Leaves out the other slices. An agent that has not begun has none yet. */
function onlySlice(session: AgentSession, name: string): AgentSession {
  const names = Object.keys(session.slices);
  if (names.length > 0 && !names.includes(name)) {
    const known = [...names].sort().join(', ');
    throw new CliError(exitCodes.misused, `Slice "${name}" does not exist.`, `Slices: ${known}.`);
  }
  return { ...session, slices: { [name]: session.slices[name] ?? [] } };
}
