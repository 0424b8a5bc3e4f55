import type { Command } from 'commander';
import { userInfo } from 'node:os';
import type { Decision } from '../../client/operator/decide';
import { decideForRun } from '../../client/operator/decide-for-run';
import { displayId } from '../../domain/kernel';
import { type CliContext, withConnection } from '../context';

/** Options of every command that sends something to an agent. */
export interface NoteOptions {
  readonly by?: string;
  readonly note?: string;
}

/** Options of every command that answers an incident. */
export interface DecisionOptions extends NoteOptions {
  readonly delegation?: string;
  readonly incident?: string;
}

/** Default for `--by`: the name of the current user. */
function currentUser(): string {
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

type Choice<Kind> = Kind extends Decision ? Omit<Kind, 'incident' | 'by' | 'note'> : never;

/** Sends a decision and prints one line about the incident that it answered. */
export function submitDecision(
  context: CliContext,
  target: string,
  { delegation, incident, ...note }: DecisionOptions,
  choice: Choice<Decision>,
): Promise<void> {
  return withConnection(context, async ({ client }) => {
    const decision = { ...choice, ...noteFrom(note), ...(incident === undefined ? {} : { incident }) } as Decision;
    const { workflowId, record } = await decideForRun(client, target, delegation, decision);
    context.terminal.print(
      `${displayId(workflowId)}: incident ${record.incident} answered with "${record.action}" by ${record.by}.`,
    );
  });
}
