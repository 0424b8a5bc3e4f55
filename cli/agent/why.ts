import { Command } from 'commander';
import { oneLine } from '../../client/format';
import { diagnose } from '../../client/why';
import type { Diagnosis } from '../../client/why/why';
import { agentLabel, displayId, parseAgentId } from '../../domain/kernel';
import { type CliContext, withConnection } from '../context';
import { columns } from '../table';

/** `baton why`: explains a failure or a wait. */
export function whyCommand(context: CliContext): Command {
  return new Command('why')
    .description('explain why a run failed or what it is waiting for: the agent, the reason, the remedy')
    .argument('<run>', 'id of the run, <run>/<delegation>, or a workflow id')
    .option('--json', 'print JSON')
    .addHelpText('after', examples)
    .action((target: string, { json = false }: { json?: boolean }) =>
      withConnection(context, async ({ client }) => {
        const why = await diagnose(client, parseAgentId(target));
        if (json) context.terminal.printJson(why);
        else context.terminal.print(whyText(why));
      }),
    );
}

const examples = `
Follows the failure, or the wait, down to the agent in which it began. This takes only a few requests to the server,
however large the tree is.

Examples:
  $ baton why 20261116-031522-k3f9q1
  $ baton why 20261116-031522-k3f9q1 --json | jq -r .type
`;

/** Formats a diagnosis for a terminal: verdict, agent, reason, and what to do. */
export function whyText(why: Diagnosis): string {
  const { verdict, path, type, message, remedy, commands, remarks } = why;
  const leaf = path.at(-1) ?? '';
  const rows = [
    [verdict, path.map(agentLabel).join(' → ')],
    ['where', displayId(leaf)],
    ['why', oneLine(type === null || message.includes(`${type}: `) ? message : `${type}: ${message}`, 1_000)],
    ...(remedy === null || message.includes(remedy) ? [] : [['what to do', remedy]]),
    ...commands.map((command, index) => [index === 0 ? 'commands' : '', command]),
  ];
  return [columns(rows), ...remarks.map((remark) => oneLine(remark, 400))].join('\n');
}
