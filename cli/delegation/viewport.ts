import type { AgentStatus } from '../../client/delegation/tree-node';
import type { Line } from '../screen/style';
import type { TreeLine } from './draw-tree';

/** The part of a drawing that fits on a screen. */
export interface VisiblePart {
  readonly lines: readonly Line[];
  /** Index of the first line below the root that is shown. */
  readonly top: number;
}

/** What is looked for on a screen that can't show everything, most important first. */
const interesting: readonly AgentStatus[][] = [['needs operator', 'paused'], ['running'], ['failed']];

/**
 * Selects the lines of a drawing that fit into this many rows. The first line, which is the root's, always stays. Without
 * a `top`, which a person chose, the rest begins where something happens.
 */
export function visiblePart(drawn: readonly TreeLine[], rows: number, top?: number): VisiblePart {
  const [root, ...rest] = drawn;
  const room = Math.max(1, rows - 2);
  if (root === undefined || drawn.length <= rows) return { lines: drawn.map(({ line }) => line), top: 0 };
  const last = rest.length - room;
  const from = Math.min(Math.max(0, top ?? firstInteresting(rest)), last);
  const shown = rest.slice(from, from + room);
  const place = `lines ${from + 2}–${from + 1 + shown.length} of ${drawn.length}, scroll with ↑ and ↓`;
  return { lines: [root.line, ...shown.map(({ line }) => line), [{ text: `  ${place}`, style: 'quiet' }]], top: from };
}

function firstInteresting(lines: readonly TreeLine[]): number {
  for (const wanted of interesting) {
    const found = lines.findIndex(({ status }) => wanted.includes(status));
    // One line of context above it.
    if (found !== -1) return found - 1;
  }
  return 0;
}
