import type { AgentDetails } from '../../client/delegation/tree-node';
import type { OpenIncident } from '../../client/operator/decide';
import { delegationPath } from '../../domain/kernel';
import type { Terminal } from '../context';
import type { Announcer } from '../operator/announce';
import { cutLine, type Line } from '../screen/style';
import { budgetLines } from './budget-line';
import { agentLine, treeLines, type TreeRow, visibleNodes } from './draw-tree';
import { needsYouLines } from './needs-you';
import { visiblePart } from './viewport';

/** One look at a tree. */
export interface TreeView {
  readonly shown: TreeRow;
  readonly details: ReadonlyMap<string, AgentDetails>;
  /** Everything in the tree that waits for a person, whether or not its agent is drawn. */
  readonly open: readonly OpenIncident[];
  readonly hasEnded: boolean;
}

/** Returns the details of the agent at the top of a tree. */
export function topDetails(shown: TreeRow, details: TreeView['details']): AgentDetails | undefined {
  return shown.kind === 'agent' ? details.get(shown.node.execution.workflowId) : undefined;
}

/** Where a tree is shown while it grows. */
export interface Canvas {
  show(view: TreeView): void;
  /** Shows a line about the connection. */
  notice(text: string): void;
  /** Removes what can be redrawn. Safe to call twice. */
  close(): void;
}

/** Rows that a key moves the drawing by. */
const steps: Readonly<Record<string, number>> = {
  up: -1,
  k: -1,
  down: 1,
  j: 1,
  pageup: -10,
  pagedown: 10,
  home: -Infinity,
  end: Infinity,
};

/**
 * Creates a canvas that is redrawn on a screen and never larger than it. The root and what waits for a person stay
 * visible; the rest can be scrolled.
 */
export async function redrawing(terminal: Terminal, announcer: Announcer, utc = false): Promise<Canvas> {
  const live = await terminal.liveText();
  let latest: TreeView | undefined;
  let notice = '';
  /** The position that a person chose. */
  let chosen: number | undefined;
  let top = 0;
  const draw = (): void => {
    if (latest === undefined) return;
    const { columns, rows } = live.size();
    const width = columns - 1;
    const panel = needsYouLines(latest.open, { now: Date.now(), utc }, { columns: width, rows: Math.floor(rows / 2) });
    const budget = budgetLines(topDetails(latest.shown, latest.details), width);
    const below: readonly Line[] = [...budget, ...panel, ...(notice === '' ? [] : [cutLine([notice], width)])];
    const part = visiblePart(treeLines(latest.shown, latest.details, width), rows - 1 - below.length, chosen);
    top = part.top;
    live.showLines([...part.lines, ...below]);
  };
  live.onKey((key) => {
    const step = steps[key];
    if (step === undefined) return;
    chosen = Math.max(0, top + step);
    draw();
  });
  return {
    show: (view) => {
      latest = view;
      notice = '';
      announcer.announce(view.open);
      draw();
    },
    notice: (text) => {
      notice = text;
      draw();
    },
    close: () => {
      live.close();
    },
  };
}

/** Creates a canvas that prints a line for each change. */
export function changes(terminal: Terminal, announcer: Announcer): Canvas {
  const printed = new Map<string, string>();
  return {
    show({ shown, details, open }) {
      for (const node of visibleNodes(shown)) {
        const { workflowId } = node.execution;
        const line = `${'  '.repeat(delegationPath(workflowId).length)}${agentLine(node, details.get(workflowId))}`;
        if (printed.get(workflowId) !== line) terminal.note(line);
        printed.set(workflowId, line);
      }
      announcer.announce(open);
    },
    notice: (text) => {
      terminal.note(text);
    },
    close: () => undefined,
  };
}
