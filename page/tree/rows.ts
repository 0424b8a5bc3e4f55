import type { ViewState } from '../../client/view/run-view';

interface Common {
  /** Identifies the row through all changes. */
  readonly key: string;
  /** 1 for the root. */
  readonly level: number;
  /** Position among its siblings, from 1, and their number. */
  readonly position: number;
  readonly siblings: number;
  /** Null if it has nothing to open. */
  readonly isOpen: boolean | null;
}

export interface AgentTreeRow extends Common {
  readonly kind: 'agent';
  readonly path: string;
}

/** The agents of one tool call. */
export interface BatchTreeRow extends Common {
  readonly kind: 'batch';
  readonly parent: string;
  readonly callId: string;
  readonly turn: number;
  readonly size: number;
}

/** Agents of a group that have the same state and are not shown one by one. */
export interface FoldTreeRow extends Common {
  readonly kind: 'fold';
  readonly parent: string;
  /** The tool call; null for agents that were started one by one. */
  readonly callId: string | null;
  readonly state: ViewState;
  readonly paths: readonly string[];
}

/** Failed agents of a fold row that failed alike. */
export interface FailureTreeRow extends Common {
  readonly kind: 'failure';
  readonly type: string;
  readonly message: string;
  readonly paths: readonly string[];
}

/** One row of the tree. */
export type TreeRow = AgentTreeRow | BatchTreeRow | FoldTreeRow | FailureTreeRow;

/** Key of the row of an agent. */
export const agentKey = (path: string): string => `agent:${path}`;

/** Whether two lists show the same rows in the same way. */
export function sameRows(a: readonly TreeRow[], b: readonly TreeRow[]): boolean {
  return a.length === b.length && a.every((row, index) => sameRow(row, b[index]));
}

function sameRow(a: TreeRow, b: TreeRow | undefined): boolean {
  if (b === undefined || a.key !== b.key || a.isOpen !== b.isOpen || a.position !== b.position) return false;
  if (a.siblings !== b.siblings) return false;
  if (a.kind === 'agent' || a.kind === 'batch') return true;
  return b.kind === a.kind && a.paths.length === b.paths.length;
}
