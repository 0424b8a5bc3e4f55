import type { Client } from '@temporalio/client';
import { setTimeout as sleep } from 'node:timers/promises';
import { DetailsReader, readTree } from '../../client/delegation/read-tree';
import type { AgentDetails } from '../../client/delegation/tree-node';
import { delegationPath } from '../../domain/kernel';
import { CliError, exitCodes, type Terminal } from '../context';
import { onStopSignal } from '../signals';
import { agentLine, collapseTree, drawTree, type TreeRow, visibleNodes } from './draw-tree';

const pollMs = 1_000;

/** One look at the polled tree. */
interface TreeView {
  readonly shown: TreeRow;
  readonly details: ReadonlyMap<string, AgentDetails>;
  readonly hasEnded: boolean;
}

/**
 * Redraws the tree until the agent at its top has ended. When the output is not a terminal, prints a line for each
 * change.
 */
export async function followTree(client: Client, workflowId: string, all: boolean, terminal: Terminal): Promise<void> {
  const details = new DetailsReader(client);
  const canvas = terminal.isInteractive ? await redrawing(terminal) : changes(terminal);
  const stopped = new AbortController();
  const release = onStopSignal(() => {
    stopped.abort();
  });
  try {
    for (;;) {
      const view = await readView(client, workflowId, all, details);
      if (stopped.signal.aborted) throw new CliError(exitCodes.interrupted, 'Stopped following. The run continues.');
      canvas.show(view);
      if (view.hasEnded) break;
      await sleep(pollMs, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
  } finally {
    release();
    canvas.close();
  }
  // Read once more, because agents below may have ended together with the top.
  const { shown, details: last } = await readView(client, workflowId, all, details);
  terminal.print(drawTree(shown, last));
}

async function readView(client: Client, workflowId: string, all: boolean, reader: DetailsReader): Promise<TreeView> {
  const tree = await readTree(client, workflowId);
  const shown = collapseTree(tree, all);
  const details = await reader.read(visibleNodes(shown));
  return { shown, details, hasEnded: tree.execution.state !== 'RUNNING' };
}

interface Canvas {
  show(view: TreeView): void;
  close(): void;
}

async function redrawing(terminal: Terminal): Promise<Canvas> {
  const live = await terminal.liveText();
  return {
    show: ({ shown, details }) => {
      live.show(drawTree(shown, details));
    },
    close: () => {
      live.close();
    },
  };
}

function changes(terminal: Terminal): Canvas {
  const printed = new Map<string, string>();
  return {
    show({ shown, details }) {
      for (const node of visibleNodes(shown)) {
        const { workflowId } = node.execution;
        const line = `${'  '.repeat(delegationPath(workflowId).length)}${agentLine(node, details.get(workflowId))}`;
        if (printed.get(workflowId) !== line) terminal.note(line);
        printed.set(workflowId, line);
      }
    },
    close: () => undefined,
  };
}
