import { Command } from 'commander';
import { parseAgentId } from '../../domain/kernel/agent-id';
import { withConnection, type CliContext } from '../context-merging';
import { diagnose } from '../../client/why';
import { whyText } from './print';

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
        context.terminal.print(json ? JSON.stringify(why) : whyText(why));
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
