import type { Client } from '@temporalio/client';
import { Command } from 'commander';
import { agentTree } from '../../client/delegation/agent-tree';
import { DetailsReader } from '../../client/delegation/read-tree';
import { findStoredAgent, type StoredRun } from '../../client/record/stored-run';
import { storedAgentTree, storedDetails, storedTree } from '../../client/record/stored-views';
import { owningRunId, parseAgentId } from '../../domain/kernel';
import { collectOften } from '../collect-often';
import { figuresReader } from '../screen/figures';
import type { CliContext, Terminal } from '../context';
import { fromServerOrStore } from '../from-store';
import { addNotifyOption, checkNotify, type NotifyOption } from '../operator/notify-options';
import { addTimeOption, type TimeOption } from '../screen/time-option';
import { budgetLines } from './budget-line';
import { collapseTree, treeLines, visibleNodes } from './draw-tree';
import { followTree, readView } from './follow-tree';
import { needsYouLines } from './needs-you';
import { topDetails, type TreeView } from './tree-canvas';

interface TreeOptions extends NotifyOption, TimeOption {
  readonly follow?: boolean;
  readonly all?: boolean;
  readonly json?: boolean;
}

/** `baton tree`: shows the agents of a run. */
export function treeCommand(context: CliContext): Command {
  const command = new Command('tree')
    .description(
      'show the agents of a run as a tree, with status, turns, context usage, tokens, cost and what each is waiting for',
    )
    .argument('<run>', 'id of the run, <run>/<delegation>, or a workflow id')
    .option('-f, --follow', 'redraw the tree until the run has ended; ↑ and ↓ scroll');
  return addTimeOption(addNotifyOption(command))
    .option('--all', 'show every agent, without collapsing similar ones')
    .option('--json', 'print JSON: every agent with its status snapshot')
    .addHelpText('after', examples)
    .action((target: string, options: TreeOptions) => {
      checkNotify(options);
      collectOften();
      return fromServerOrStore(context, target, {
        server: ({ client }) => printLive(context, client, target, options),
        store: (run) => printStored(context, run, target, options),
      });
    });
}

async function printLive(
  context: CliContext,
  client: Client,
  target: string,
  { follow = false, all = false, json = false, utc = false, notify }: TreeOptions,
): Promise<void> {
  const workflowId = parseAgentId(target);
  const { terminal } = context;
  const figures = figuresReader(context, client, owningRunId(workflowId));
  const followed = follow ? await followTree(client, { workflowId, all, terminal, figures, notify, utc }) : undefined;
  if (json) {
    terminal.printJson(await agentTree(client, workflowId, figures));
    return;
  }
  print(terminal, followed ?? (await readView(client, workflowId, all, new DetailsReader(client, figures))), utc);
}

/** Prints a tree, and below it what waits for a person. */
function print(terminal: Terminal, { shown, details, open }: Omit<TreeView, 'hasEnded'>, utc: boolean): void {
  const columns = terminal.columns();
  const size = { columns: columns ?? Infinity, rows: 40 };
  terminal.printLines([
    ...treeLines(shown, details, columns).map(({ line }) => line),
    ...budgetLines(topDetails(shown, details), size.columns),
    ...needsYouLines(open, { now: Date.now(), utc }, size),
  ]);
}

async function printStored(
  { terminal }: CliContext,
  run: StoredRun,
  target: string,
  { all = false, json = false, utc = false }: Pick<TreeOptions, 'all' | 'json' | 'utc'>,
): Promise<void> {
  const tree = storedTree(findStoredAgent(run, target));
  if (json) {
    terminal.printJson(await storedAgentTree(run, tree));
    return;
  }
  const shown = collapseTree(tree, all);
  print(terminal, { shown, details: await storedDetails(run, visibleNodes(shown)), open: [] }, utc);
}

const examples = `
Completed agents beyond the first few are collapsed into one line; --all shows them. What a running agent is doing is
shown only while a worker answers for it.

Examples:
  $ baton tree 20261116-031522-k3f9q1
  $ baton tree 20261116-031522-k3f9q1 --follow
  $ baton tree 20261116-031522-k3f9q1 --json | jq '.. | objects | select(.status == "failed") | .workflowId'
`;
