import { Command } from 'commander';
import { agentTree } from '../../client/delegation/agent-tree';
import { DetailsReader, readTree } from '../../client/delegation/read-tree';
import { findStoredAgent, type StoredRun } from '../../client/record/stored-run';
import { storedAgentTree, storedDetails, storedTree } from '../../client/record/stored-views';
import { parseAgentId } from '../../domain/kernel';
import type { CliContext } from '../context';
import { fromServerOrStore } from '../from-store';
import { collapseTree, drawTree, visibleNodes } from './draw-tree';
import { followTree } from './follow-tree';

interface TreeOptions {
  readonly follow?: boolean;
  readonly all?: boolean;
  readonly json?: boolean;
}

/** `baton tree`: shows the agents of a run. */
export function treeCommand(context: CliContext): Command {
  return new Command('tree')
    .description(
      'show the agents of a run as a tree, with status, turns, context usage, tokens, cost and what each is waiting for',
    )
    .argument('<run>', 'id of the run, <run>/<delegation>, or a workflow id')
    .option('-f, --follow', 'redraw the tree until the run has ended')
    .option('--all', 'show every agent, without collapsing similar ones')
    .option('--json', 'print JSON: every agent with its status snapshot')
    .addHelpText('after', examples)
    .action((target: string, { follow = false, all = false, json = false }: TreeOptions) =>
      fromServerOrStore(context, target, {
        async server({ client }) {
          const workflowId = parseAgentId(target);
          const { terminal } = context;
          if (follow && !json) return followTree(client, workflowId, all, terminal);
          if (json) {
            if (follow) await followTree(client, workflowId, all, { ...terminal, print: () => undefined });
            terminal.printJson(await agentTree(client, workflowId));
            return;
          }
          const shown = collapseTree(await readTree(client, workflowId), all);
          terminal.print(drawTree(shown, await new DetailsReader(client).read(visibleNodes(shown))));
        },
        store: (run) => printStored(context, run, target, { all, json }),
      }),
    );
}

async function printStored(
  { terminal }: CliContext,
  run: StoredRun,
  target: string,
  { all, json }: Required<Pick<TreeOptions, 'all' | 'json'>>,
): Promise<void> {
  const tree = storedTree(findStoredAgent(run, target));
  if (json) {
    terminal.printJson(await storedAgentTree(run, tree));
    return;
  }
  const shown = collapseTree(tree, all);
  terminal.print(drawTree(shown, await storedDetails(run, visibleNodes(shown))));
}

const examples = `
Completed agents beyond the first few are collapsed into one line; --all shows them. What a running agent is doing is
shown only while a worker answers for it.

Examples:
  $ baton tree 20261116-031522-k3f9q1
  $ baton tree 20261116-031522-k3f9q1 --follow
  $ baton tree 20261116-031522-k3f9q1 --json | jq '.. | objects | select(.status == "failed") | .workflowId'
`;
