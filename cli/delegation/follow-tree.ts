import type { Client } from '@temporalio/client';
import { setTimeout as sleep } from 'node:timers/promises';
import { DetailsReader, readTree } from '../../client/delegation/read-tree';
import type { AgentDetails } from '../../client/delegation/tree-node';
import { delegationPath } from '../../domain/kernel';
import type { Terminal } from '../context';
import { ServerOutage } from '../server-outage';
import { untilInterrupted } from '../signals';
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
  const look = (): Promise<TreeView> => readView(client, workflowId, all, details);
  try {
    const { shown, details: last } = await untilInterrupted(
      watchTree(look, canvas, stopped.signal),
      'Stopped following. The run continues.',
    );
    canvas.close();
    terminal.print(drawTree(shown, last));
  } finally {
    stopped.abort();
    canvas.close();
  }
}

/** Shows the tree after every look until the agent at its top has ended, and returns the last look. */
async function watchTree(look: () => Promise<TreeView>, canvas: Canvas, stopped: AbortSignal): Promise<TreeView> {
  const outage = new ServerOutage(canvas.notice, stopped);
  for (;;) {
    const view = await outage.retrying(look);
    if (stopped.aborted) return view;
    canvas.show(view);
    // Read once more, because agents below may have ended together with the top.
    if (view.hasEnded) return outage.retrying(look);
    await sleep(pollMs, undefined, { signal: stopped }).catch(() => undefined);
  }
}

async function readView(client: Client, workflowId: string, all: boolean, reader: DetailsReader): Promise<TreeView> {
  const tree = await readTree(client, workflowId);
  const shown = collapseTree(tree, all);
  const details = await reader.read(visibleNodes(shown));
  return { shown, details, hasEnded: tree.execution.state !== 'RUNNING' };
}

interface Canvas {
  show(view: TreeView): void;
  /** Shows a line about the connection. */
  notice(text: string): void;
  /** Removes what can be redrawn. Safe to call twice. */
  close(): void;
}

async function redrawing(terminal: Terminal): Promise<Canvas> {
  const live = await terminal.liveText();
  let drawn = '';
  return {
    show: ({ shown, details }) => {
      drawn = drawTree(shown, details);
      live.show(drawn);
    },
    notice: (text) => {
      live.show(`${drawn}\n${text}`);
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
    notice: (text) => {
      terminal.note(text);
    },
    close: () => undefined,
  };
}
