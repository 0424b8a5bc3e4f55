import type { Client } from '@temporalio/client';
import { setTimeout as sleep } from 'node:timers/promises';
import { DetailsReader, readTree } from '../../client/delegation/read-tree';
import type { FiguresReader } from '../../client/spending/run-figures';
import type { Terminal } from '../context';
import { Announcer } from '../operator/announce';
import type { NotifyOption } from '../operator/notify-options';
import type { TimeOption } from '../screen/time-option';
import { ServerOutage } from '../server-outage';
import { untilInterrupted } from '../signals';
import type { Line } from '../screen/style';
import { collapseTree, visibleNodes } from './draw-tree';
import { incidentsOfTree } from './needs-you';
import { type Canvas, changes, redrawing, type TreeView } from './tree-canvas';

const pollMs = 1_000;

/** What `followTree` shows, and where. */
interface FollowedTree extends NotifyOption, TimeOption {
  readonly workflowId: string;
  /** Whether every agent is shown. */
  readonly all: boolean;
  readonly terminal: Terminal;
  readonly figures: FiguresReader;
}

/**
 * Redraws the tree until the agent at its top has ended, and returns the last look. When the output is not a terminal,
 * prints a line for each change. Announces whatever waits for a person.
 */
export async function followTree(client: Client, followed: FollowedTree): Promise<TreeView> {
  const { workflowId, all, figures } = followed;
  const details = new DetailsReader(client, figures);
  const canvas = await canvasFor(followed);
  const stopped = new AbortController();
  const look = (): Promise<TreeView> => readView(client, workflowId, all, details);
  try {
    return await untilInterrupted(watchTree(look, canvas, stopped.signal), 'Stopped following. The run continues.');
  } finally {
    stopped.abort();
    canvas.close();
  }
}

function canvasFor({ terminal, notify, utc = false }: FollowedTree): Canvas | Promise<Canvas> {
  if (terminal.isInteractive) return redrawing(terminal, new Announcer({ terminal, notify }), utc);
  const print = (lines: readonly Line[]): void => {
    terminal.noteLines(lines);
  };
  return changes(terminal, new Announcer({ terminal, notify, print, utc }));
}

/**
 * Shows the tree after every look until the agent at its top has ended, and returns the last look. `everyMs`:
 * milliseconds between two looks.
 */
export async function watchTree(
  look: () => Promise<TreeView>,
  canvas: Canvas,
  stopped: AbortSignal,
  everyMs = pollMs,
): Promise<TreeView> {
  const outage = new ServerOutage(canvas.notice, stopped);
  for (;;) {
    const view = await outage.retrying(look);
    if (stopped.aborted) return view;
    canvas.show(view);
    // Read once more, because agents below may have ended together with the top.
    if (view.hasEnded) return outage.retrying(look);
    await sleep(everyMs, undefined, { signal: stopped }).catch(() => undefined);
  }
}

/** Reads a tree as it is now. */
export async function readView(
  client: Client,
  workflowId: string,
  all: boolean,
  reader: DetailsReader,
): Promise<TreeView> {
  const tree = await readTree(client, workflowId);
  const shown = collapseTree(tree, all);
  const details = await reader.read(visibleNodes(shown));
  const open = await incidentsOfTree(client, workflowId, details);
  return { shown, details, open, hasEnded: tree.execution.state !== 'RUNNING' };
}
