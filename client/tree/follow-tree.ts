import type { Client } from '@temporalio/client';
import type { Terminal } from '../cli';
import { CliError, exitCodes } from '../cli';
import { delegationPath } from '../agents/agent-id';
import { onStopSignal } from '../signals';
import { DetailsReader } from './details';
import { agentLine, drawTree } from './draw';
import { fold, shownNodes, type Shown } from './fold';
import type { AgentDetails } from './node';
import { readTree } from './read-tree';

const pollMs = 1_000;

interface Looked {
  readonly shown: Shown;
  readonly details: ReadonlyMap<string, AgentDetails>;
  readonly hasEnded: boolean;
}

/** Draws the tree again and again until its top has ended; elsewhere than on a terminal, a line for each change. */
export async function followTree(client: Client, workflowId: string, all: boolean, terminal: Terminal): Promise<void> {
  const details = new DetailsReader(client);
  const canvas = terminal.isInteractive ? await redrawing() : changes(terminal);
  const stopped = new AbortController();
  const release = onStopSignal(() => {
    stopped.abort();
  });
  try {
    for (;;) {
      const looked = await look(client, workflowId, all, details);
      if (stopped.signal.aborted) throw new CliError(exitCodes.interrupted, 'Stopped. The run goes on.');
      canvas.show(looked);
      if (looked.hasEnded) break;
      await pause(stopped.signal);
    }
  } finally {
    release();
    canvas.close();
  }
  // Once more: what was below may have ended with it.
  const { shown, details: last } = await look(client, workflowId, all, details);
  terminal.print(drawTree(shown, last));
}

async function look(client: Client, workflowId: string, all: boolean, reader: DetailsReader): Promise<Looked> {
  const tree = await readTree(client, workflowId);
  const shown = fold(tree, all);
  const details = await reader.read(shownNodes(shown));
  return { shown, details, hasEnded: tree.execution.state !== 'RUNNING' };
}

interface Canvas {
  show(looked: Looked): void;
  close(): void;
}

async function redrawing(): Promise<Canvas> {
  const { createLogUpdate } = await import('log-update');
  const update = createLogUpdate(process.stderr);
  return {
    show: ({ shown, details }) => {
      update(drawTree(shown, details));
    },
    close: () => {
      update.clear();
      update.done();
    },
  };
}

function changes(terminal: Terminal): Canvas {
  const said = new Map<string, string>();
  return {
    show({ shown, details }) {
      for (const node of shownNodes(shown)) {
        const { workflowId } = node.execution;
        const line = `${'  '.repeat(delegationPath(workflowId).length)}${agentLine(node, details.get(workflowId))}`;
        if (said.get(workflowId) !== line) terminal.warn(line);
        said.set(workflowId, line);
      }
    },
    close: () => undefined,
  };
}

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, pollMs);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
