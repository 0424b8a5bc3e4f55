import { userInfo } from 'node:os';
import type { Command } from 'commander';
import type { CliContext } from '../context';
import { withConnection } from '../context';
import { targetOf } from '../agents/agent-id';
import type { Decision } from './decide';
import { decideSomewhere } from './decide-somewhere';

export interface WordsOptions {
  readonly by?: string;
  readonly note?: string;
}

export interface DecisionOptions extends WordsOptions {
  readonly delegation?: string;
  readonly incident?: string;
}

/** Who decides, when nobody is named: whoever sits at the machine. */
export function currentUser(): string {
  try {
    return userInfo().username;
  } catch {
    return 'unknown';
  }
}

/** Options that every word to an agent has. */
export function withWords(command: Command, argument = '<run>'): Command {
  return command
    .argument(argument, 'id of the run, <run>/<delegation>, or a workflow id')
    .option('--note <text>', 'why; kept with the agent')
    .option('--by <name>', 'who; you, unless somebody else is named');
}

/** Options that every decision has. */
export function withDecision(command: Command, argument?: string): Command {
  return withWords(command, argument)
    .option('--delegation <id>', 'the delegation that is meant; its first letters are enough')
    .option('--incident <id>', 'the incident that is meant; needed only when there are several');
}

export function wordsOf({ by, note }: WordsOptions): { by: string; note?: string } {
  return { by: by ?? currentUser(), ...(note === undefined ? {} : { note }) };
}

type Choice<Kind> = Kind extends Decision ? Omit<Kind, 'incident' | 'by' | 'note'> : never;

/** Decides, and says in a line what was answered where. */
export function carryOut(
  context: CliContext,
  target: string,
  { delegation, incident, ...words }: DecisionOptions,
  choice: Choice<Decision>,
): Promise<void> {
  return withConnection(context, async ({ client }) => {
    const decision = { ...choice, ...wordsOf(words), ...(incident === undefined ? {} : { incident }) } as Decision;
    const { workflowId, record } = await decideSomewhere(client, target, delegation, decision);
    context.terminal.print(`${record.action} ${record.incident} of ${targetOf(workflowId)}: taken, by ${record.by}.`);
  });
}
