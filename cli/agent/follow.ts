import type { Client } from '@temporalio/client';
import { setTimeout as sleep } from 'node:timers/promises';
import { describeRun, outcomeOf, queryRunStatus, type RunOutcome } from '../../client/agent/outcome';
import { readTree } from '../../client/delegation/read-tree';
import { formatCount, formatDuration, formatShare, plural } from '../../client/format';
import { commandAfter } from '../../client/operator/reset-point';
import { readMountProgress } from '../../client/workspace/mount-progress';
import { formatRelayStatus, type RunResult, type StatusSnapshot } from '../../domain/agent';
import { type AgentFigures, costText, type Figures } from '../../domain/budget';
import { owningRunId, runWorkflowId } from '../../domain/kernel';
import { totalTokens } from '../../domain/model';
import { type CliContext, CliError, exitCodes, type Terminal } from '../context';
import { Announcer, watchIncidents } from '../operator/announce';
import type { NotifyOption } from '../operator/notify-options';
import { ServerOutage } from '../server-outage';
import { untilInterrupted } from '../signals';
import { figuresReader } from '../screen/figures';
import { cutLine, type Line } from '../screen/style';
import { endToWidth } from '../screen/width';
import { loadFinalText, loadValue } from './final-text';
import { watchSpeech } from './watch-speech';

const pollMs = 250;

/** How a run is followed. */
interface FollowOptions extends NotifyOption {
  /** Whether the outcome is printed as JSON. */
  readonly json?: boolean | undefined;
  /** Whether times are in UTC. Default: local. */
  readonly utc?: boolean;
}

/**
 * Shows a run's progress until it ends, then its outcome, and announces whatever waits for a person. Ctrl-C stops
 * following, not the run.
 */
export async function followRun(
  context: CliContext,
  client: Client,
  runId: string,
  { json = false, notify, utc = false }: FollowOptions,
): Promise<void> {
  const message = `Run ${runId} continues. Follow it with: baton show ${runId} --follow. Stop it with: baton cancel ${runId}`;
  const line = await liveLine(context.terminal);
  const stopped = new AbortController();
  const announcer = new Announcer({
    terminal: context.terminal,
    notify,
    print: (lines) => {
      line.above(lines);
    },
    columns: context.terminal.columns,
    utc,
  });
  const announcing = watchIncidents(client, runWorkflowId(runId), announcer, stopped.signal);
  if (context.terminal.isInteractive) void watchSpeech(context, runId, line.say, stopped.signal);
  let outcome: RunOutcome;
  try {
    outcome = await untilInterrupted(watchRun(client, runId, line, stopped.signal), message);
  } finally {
    stopped.abort();
    line.close();
  }
  await announcing;
  if (outcome.kind === 'completed') {
    await printResult(context, runId, outcome.result, json);
    return;
  }
  printUnfinished(context.terminal, runId, outcome, await figuresOf(context, client, runId), json);
  throw new CliError(exitCodes.failed, `Run ${runId} ${outcome.kind === 'failed' ? 'failed' : 'was cancelled'}.`);
}

/**
 * Shows the progress of a run until it has ended or `stopped` is aborted. `everyMs`: milliseconds between two looks.
 *
 * The end of the run aborts a signal instead of taking part in a race after every look: a promise keeps the reactions of
 * all races until it settles, and a run may take days.
 */
export async function watchRun(
  client: Client,
  runId: string,
  line: LiveLine,
  stopped: AbortSignal,
  everyMs = pollMs,
): Promise<RunOutcome> {
  const since = Date.now();
  const show = (text: string): void => {
    line.show(text, formatDuration(Date.now() - since));
  };
  const outage = new ServerOutage(show, stopped);
  const done = new AbortController();
  const ending = outage
    .retryingWait(
      () => describeRun(client, runId),
      () => outcomeOf(client, runId),
    )
    .finally(() => {
      done.abort();
    });
  // Handled by the caller below. Until then it must not crash the process as unhandled.
  ending.catch(() => undefined);
  const isOver = (): boolean => done.signal.aborted || stopped.aborted;
  while (!isOver()) {
    const snapshot = await queryRunStatus(client, runId);
    const shown = await activityOf(client, runId, snapshot);
    if (!isOver() && !outage.isOn) show(shown);
    await sleep(everyMs, undefined, { signal: done.signal }).catch(() => undefined);
  }
  return ending;
}

/** Describes what the run is doing. Before its first turn, that may be the import of its folder. */
async function activityOf(client: Client, runId: string, snapshot: StatusSnapshot | undefined): Promise<string> {
  const hasBegun = snapshot !== undefined && snapshot.turn > 0;
  const importing = hasBegun ? undefined : await readMountProgress(client, runWorkflowId(runId));
  return importing ?? (snapshot === undefined ? 'waiting for a worker' : progress(snapshot));
}

function progress(snapshot: StatusSnapshot): string {
  const { status, waitingFor, turn, occupancy, window, parkedBelow, relay } = snapshot;
  const verb = parkedBelow === 1 ? 'needs' : 'need';
  const parked = parkedBelow === 0 ? '' : `${plural(parkedBelow, 'agent')} below ${verb} you · `;
  if (relay !== undefined) return `${parked}${status} · ${formatRelayStatus(relay)}`;
  const what = `${parked}${status}${waitingFor === '' ? '' : ` (${waitingFor})`}`;
  return `${what} · ${plural(turn, 'turn')} done · ${formatShare(occupancy, window)}`;
}

/** A line that shows the current progress. */
export interface LiveLine {
  /** Shows the text. `clock` changes constantly and is shown only where the line can be redrawn. */
  show(text: string, clock: string): void;
  close(): void;
}

/** A line that shows the current progress, and prints others above it. */
interface FollowLine extends LiveLine {
  above(lines: readonly Line[]): void;
  /** Shows the end of what the model is saying, below the line. */
  say(text: string): void;
}

/** Creates a line that is redrawn on a terminal. Elsewhere it prints a new line for each change. */
async function liveLine(terminal: Terminal): Promise<FollowLine> {
  if (!terminal.isInteractive) {
    let last = '';
    return {
      show(text) {
        if (text !== last) terminal.note(text);
        last = text;
      },
      above: (lines) => {
        terminal.noteLines(lines);
      },
      say: () => undefined,
      close: () => undefined,
    };
  }
  const live = await terminal.liveText();
  let status: Line = [];
  let said = '';
  const draw = (): void => {
    const end = endToWidth(said, live.size().columns - 3);
    live.showLines(end === '' ? [status] : [status, ['  ', { text: end, style: 'quiet' }]]);
  };
  return {
    show: (text, clock) => {
      const end = ` · ${clock}`;
      status = [...cutLine([text], live.size().columns - 1 - end.length), end];
      draw();
    },
    say: (text) => {
      said = text;
      draw();
    },
    above: (lines) => {
      live.above(lines);
    },
    close: () => {
      live.close();
    },
  };
}

/** Prints only the answer to standard output. */
async function printResult(context: CliContext, runId: string, result: RunResult, json: boolean): Promise<void> {
  const { terminal } = context;
  const answer = await loadFinalText(context, runId, result);
  if (json) {
    const value = await loadValue(context, runId, result);
    terminal.printJson({ runId, kind: 'completed', ...result, answer, value });
    return;
  }
  terminal.print(answer);
  terminal.note(totals(runId, result));
}

/** Prints why a run has no answer, what to do, and what it consumed. */
function printUnfinished(
  terminal: Terminal,
  runId: string,
  outcome: Exclude<RunOutcome, { kind: 'completed' }>,
  { own, withDelegations }: AgentFigures,
  json: boolean,
): void {
  if (json) {
    terminal.printJson({ runId, ...outcome, own, withDelegations });
    return;
  }
  if (outcome.kind === 'failed') {
    terminal.note(`${outcome.type}: ${outcome.message}`);
    if (outcome.remedy !== undefined && !outcome.message.includes(outcome.remedy))
      terminal.note(`What to do: ${outcome.remedy}`);
    terminal.note(`Continue it with: ${commandAfter(runWorkflowId(runId), outcome)}`);
  }
  terminal.note(`Spent: ${formatSpent(withDelegations)}.`);
}

/** Reads what a run or a delegation consumed, in whatever way it ended. */
async function figuresOf(context: CliContext, client: Client, runId: string): Promise<AgentFigures> {
  const workflowId = runWorkflowId(runId);
  const reader = figuresReader(context, client, owningRunId(workflowId));
  return (await reader.read(() => readTree(client, workflowId))).of(workflowId);
}

/** Formats what a completed run took, for after its answer. A delegation's result has no such totals. */
function totals(runId: string, { withDelegations }: Partial<RunResult>): string {
  if (withDelegations === undefined) return `${runId} completed.`;
  return `Run ${runId} completed: ${formatSpent(withDelegations)}.`;
}

function formatSpent({ turns, usage, microUsd }: Figures): string {
  return `${plural(turns, 'turn')}, ${formatCount(totalTokens(usage))} tokens, ${costText(microUsd)}`;
}
