import type { Command } from 'commander';
import { userInfo } from 'node:os';
import type { Decision } from '../../client/operator/decide';
import { decideForRun, type RecordedDecision } from '../../client/operator/decide-for-run';
import { retryAgent, type RetryOutcome } from '../../client/operator/retry-failed';
import { displayId, owningRunId } from '../../domain/kernel';
import type { Amendment } from '../../domain/operator';
import { followRun } from '../agent/follow';
import { type CliContext, type Terminal, withConnection } from '../context';

/** Options of every command that sends something to an agent. */
export interface NoteOptions {
  readonly by?: string;
  readonly note?: string;
}

/** Options of every command that answers an incident. */
export interface DecisionOptions extends NoteOptions {
  readonly delegation?: string;
  readonly incident?: string;
  readonly json?: boolean;
}

/** Default for `--by`: the name of the current user. */
export function currentUser(): string {
  try {
    return userInfo().username;
  } catch {
    return 'unknown';
  }
}

/** Adds the argument and the options of commands that send something to an agent. */
export function withNoteOptions(command: Command, argument = '<run>'): Command {
  return command
    .argument(argument, 'id of the run, <run>/<delegation>, or a workflow id')
    .option('--note <text>', 'reason, recorded with the decision')
    .option('--by <name>', 'who decided (default: the current user)');
}

/** Adds the argument and the options of commands that answer an incident. */
export function withDecision(command: Command, argument?: string): Command {
  return withNoteOptions(command, argument)
    .option('--delegation <id>', 'delegation id, or its first letters')
    .option('--incident <id>', 'incident id; needed only if there are several');
}

/** Returns who decided and why, with the default for `by`. */
export function noteFrom({ by, note }: NoteOptions): { by: string; note?: string } {
  return { by: by ?? currentUser(), ...(note === undefined ? {} : { note }) };
}

/** Options of commands that retry. */
export interface RetryingOptions extends DecisionOptions {
  readonly withParent?: boolean;
  readonly cancelled?: boolean;
  readonly follow?: boolean;
  readonly json?: boolean;
}

/** Adds the options of commands that also retry an agent that has failed. */
export function withRetrying(command: Command): Command {
  return command
    .option('--with-parent', 'for a failed delegation: also take back the agents that have received its failure')
    .option('--cancelled', 'continue even if it was cancelled')
    .option('-f, --follow', 'show progress until the run ends, then print its answer')
    .option('--json', 'print JSON');
}

/** Retries an agent that waits for an operator or has failed, and prints what happens now. */
export function submitRetry(
  context: CliContext,
  target: string,
  { delegation, follow = false, json = false, by, note, ...options }: RetryingOptions,
  amendment?: Amendment,
): Promise<void> {
  const { terminal } = context;
  return withConnection(context, async ({ client }) => {
    const who = noteFrom({ ...(by === undefined ? {} : { by }), ...(note === undefined ? {} : { note }) });
    const changes = amendment === undefined ? {} : { amendment };
    const outcome = await retryAgent(client, target, delegation, { ...options, ...who, ...changes });
    if (json && !follow) terminal.printJson(outcome);
    else printRetry(terminal, outcome);
    if (follow) await followRun(context, client, owningRunId(outcome.workflowId), { json });
  });
}

function printRetry(terminal: Terminal, outcome: RetryOutcome): void {
  if (outcome.kind === 'answered') {
    terminal.print(answerLine(outcome));
    return;
  }
  for (const id of outcome.retried) terminal.print(`${displayId(id)}: continues where it ended.`);
  for (const id of outcome.takenBack) terminal.print(`${displayId(id)}: taken back, and waits for it.`);
  if (outcome.workers === 0) terminal.note('No worker polls its task queue, so it waits. Start one with: baton worker');
}

function answerLine({ workflowId, record }: RecordedDecision): string {
  return `${displayId(workflowId)}: incident ${record.incident} answered with "${record.action}" by ${record.by}.`;
}

/** What a command decides: its action and the arguments of that action. */
type Choice<Kind = Decision> = Kind extends Decision ? Omit<Kind, 'incident' | 'by' | 'note'> : never;

/** Sends a decision and prints one line about the incident that it answered. */
export function submitDecision(
  context: CliContext,
  target: string,
  { delegation, incident, json, ...note }: DecisionOptions,
  choice: Choice,
): Promise<void> {
  return withConnection(context, async ({ client }) => {
    const decision = { ...choice, ...noteFrom(note), ...(incident === undefined ? {} : { incident }) } as Decision;
    const recorded = await decideForRun(client, target, delegation, decision);
    if (json === true) context.terminal.printJson(recorded);
    else context.terminal.print(answerLine(recorded));
  });
}

/** Help for commands that answer an incident: how the incident is found, and examples. */
export function decisionHelp(action: string, examples = ''): string {
  return `
If the root agent has no open incident, the command applies to the only agent below it that has one. If there are several,
they are listed with the command for each.

Examples:
  $ baton ${action} 20261116-031522-k3f9q1
  $ baton ${action} 20261116-031522-k3f9q1 --delegation 4f7s9k2m --note "as agreed"
${examples}`;
}
