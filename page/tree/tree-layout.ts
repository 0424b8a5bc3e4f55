import type { AgentRow, ViewState } from '../../client/view/run-view';
import type { Counts } from '../state/counts';
import { groupFailures } from './failures';
import type { Test } from './filter';
import { allOrNone, type GroupLayout, keepLayout, layOut, type Member } from './fold';
import { agentKey, type FoldTreeRow, type TreeRow } from './rows';

/** The agents that a layout arranges. */
export interface Agents {
  row(path: string): AgentRow | undefined;
  childrenOf(path: string): readonly string[];
  /** Number of agents below this one, by state. */
  countsOf(path: string): { peek(): Counts };
}

/** The state by which an agent is folded: a fold must not hide who needs a decision, or what failed, below it. */
function foldState(agents: Agents, { path, state }: Member): ViewState {
  const below = agents.countsOf(path).peek();
  if (below['needs you']) return 'needs you';
  return below.failed && allOrNone.includes(state) ? 'failed' : state;
}

/** Agents that are shown together: those of a batch, or those that a parent started one by one. */
interface Group {
  readonly key: string;
  readonly kind: 'batch' | 'loose';
  readonly callId: string | null;
  readonly members: readonly AgentRow[];
}

type Unplaced = TreeRow extends infer Row ? (Row extends TreeRow ? Omit<Row, 'position' | 'siblings'> : never) : never;

/** Rows beyond which deeper agents are closed when a run is opened. */
const manyRows = 400;

/**
 * Arranges agents as rows. It remembers which agents it showed one by one, so a row stays where it is whatever happens to
 * its agent, until `tidy`.
 */
export class TreeLayout {
  private groups = new Map<string, GroupLayout>();
  private known = new Map<string, Set<string>>();
  private readonly toggled = new Map<string, boolean>();
  private closedFrom = Infinity;

  constructor(private readonly agents: Agents) {}

  /** Folds anew, as if the run were opened now. What was opened or closed by hand stays so. */
  tidy(): void {
    this.groups = new Map();
    this.known = new Map();
  }

  /** Opens or closes a row. */
  setOpen(key: string, isOpen: boolean): void {
    this.toggled.set(key, isOpen);
  }

  /** Opens or closes all rows. Failed and folded agents stay in their folds. */
  setAll(isOpen: boolean): void {
    this.toggled.clear();
    this.closedFrom = isOpen ? Infinity : 1;
  }

  /** Opens everything above an agent, and shows the agent itself if it is folded. */
  reveal(path: string): void {
    const row = this.agents.row(path);
    if (row === undefined || row.parent === null) return;
    this.reveal(row.parent);
    this.setOpen(agentKey(row.parent), true);
    const group = this.groupsOf(row.parent).find(({ members }) => members.includes(row));
    if (group === undefined) return;
    this.setOpen(group.key, true);
    const layout = this.layoutOf(group);
    if (!layout.shown.includes(path)) this.groups.set(group.key, { ...layout, shown: [...layout.shown, path] });
  }

  /** All rows, from top to bottom. With a filter: the agents that match, and everything above them. */
  rows(filter?: Test): TreeRow[] {
    if (filter !== undefined) return this.filtered(filter);
    const rows = this.placed('');
    if (rows.length <= manyRows || this.closedFrom !== Infinity || this.toggled.size > 0) return rows;
    this.closedFrom = 3;
    return this.placed('');
  }

  private placed(path: string): TreeRow[] {
    const root = this.agents.row(path);
    return root === undefined ? [] : this.place([this.agentRow(root, 1)], (row) => this.below(row));
  }

  /** Numbers siblings, and adds what is below rows that are open. */
  private place(siblings: readonly Unplaced[], below: (row: Unplaced) => readonly Unplaced[]): TreeRow[] {
    return siblings.flatMap((row, index) => {
      const placed = { ...row, position: index + 1, siblings: siblings.length } as TreeRow;
      return row.isOpen === true ? [placed, ...this.place(below(row), below)] : [placed];
    });
  }

  private below(row: Unplaced): Unplaced[] {
    const level = row.level + 1;
    if (row.kind === 'agent') return this.groupsOf(row.path).flatMap((group) => this.groupRows(row.path, group, level));
    if (row.kind === 'batch') {
      const group = this.groupsOf(row.parent).find(({ key }) => key === row.key);
      return group === undefined ? [] : this.memberRows(row.parent, group, level);
    }
    if (row.kind === 'fold' && row.state === 'failed') return this.failureRows(row, level);
    return row.paths.flatMap((path) => this.agentRows(path, level));
  }

  private groupRows(parent: string, group: Group, level: number): Unplaced[] {
    if (group.kind === 'loose') return this.memberRows(parent, group, level);
    const { callId, turn, size } = group.members[0]?.batch ?? { callId: '', turn: 0, size: 0 };
    return [
      { kind: 'batch', key: group.key, level, isOpen: this.isOpen(group.key, level), parent, callId, turn, size },
    ];
  }

  private memberRows(parent: string, group: Group, level: number): Unplaced[] {
    const { shown, folds } = this.layoutOf(group);
    const isShown = new Set(shown);
    const rows = shown.flatMap((path) => this.agentRows(path, level));
    const folded = folds.map((state): Unplaced => {
      const paths = group.members
        .filter((row) => !isShown.has(row.path) && foldState(this.agents, row) === state)
        .map(({ path }) => path);
      const key = `${group.key}:${state}`;
      const isOpen = this.toggled.get(key) ?? false;
      return { kind: 'fold', key, level, isOpen, parent, callId: group.callId, state, paths };
    });
    return [...rows, ...folded];
  }

  private failureRows({ key, paths }: Pick<FoldTreeRow, 'key' | 'paths'>, level: number): Unplaced[] {
    const rows = paths.flatMap((path) => this.agents.row(path) ?? []);
    return groupFailures(rows).map(({ type, message, paths: alike }): Unplaced => {
      const groupKey = `${key}:${type}:${message}`;
      const isOpen = this.toggled.get(groupKey) ?? false;
      return { kind: 'failure', key: groupKey, level, isOpen, type, message, paths: alike };
    });
  }

  private agentRows(path: string, level: number): Unplaced[] {
    const row = this.agents.row(path);
    return row === undefined ? [] : [this.agentRow(row, level)];
  }

  private agentRow({ path }: AgentRow, level: number): Unplaced {
    const key = agentKey(path);
    const isOpen = this.agents.childrenOf(path).length === 0 ? null : this.isOpen(key, level);
    return { kind: 'agent', key, level, path, isOpen };
  }

  private isOpen(key: string, level: number): boolean {
    return this.toggled.get(key) ?? level < this.closedFrom;
  }

  private groupsOf(parent: string): Group[] {
    const groups = new Map<string, { kind: Group['kind']; callId: string | null; members: AgentRow[] }>();
    for (const path of this.agents.childrenOf(parent)) {
      const row = this.agents.row(path);
      if (row === undefined) continue;
      const isBatch = row.batch !== null && row.batch.size > 1;
      const key = isBatch ? `batch:${parent}|${row.batch.callId}` : `loose:${parent}`;
      const group = groups.get(key) ?? {
        kind: isBatch ? 'batch' : 'loose',
        callId: isBatch ? row.batch.callId : null,
        members: [],
      };
      group.members.push(row);
      groups.set(key, group);
    }
    return [...groups].map(([key, group]) => ({ key, ...group, members: inOrder(group.members) }));
  }

  private layoutOf({ key, kind, members: rows }: Group): GroupLayout {
    const members = rows.map((row) => ({ path: row.path, state: foldState(this.agents, row) }));
    const before = this.groups.get(key);
    const known = this.known.get(key);
    const layout =
      before === undefined || known === undefined ? layOut(members, kind) : keepLayout(before, members, kind, known);
    this.groups.set(key, layout);
    this.known.set(key, new Set(members.map(({ path }) => path)));
    return layout;
  }

  /** Hits and their parents, all open. Agents are not folded: who filters wants to see them. */
  private filtered(filter: Test): TreeRow[] {
    const kept = new Map<string, AgentRow>();
    const visit = (path: string): boolean => {
      const row = this.agents.row(path);
      if (row === undefined) return false;
      const hasHits = this.agents.childrenOf(path).map(visit).includes(true);
      if (!hasHits && !filter(row)) return false;
      kept.set(path, row);
      return true;
    };
    if (!visit('')) return [];
    const below = (row: Unplaced): Unplaced[] => {
      if (row.kind !== 'agent') return [];
      return this.agents
        .childrenOf(row.path)
        .filter((path) => kept.has(path))
        .map((path) => this.hitRow(path, row.level + 1, kept));
    };
    return this.place([this.hitRow('', 1, kept)], below);
  }

  private hitRow(path: string, level: number, kept: ReadonlyMap<string, unknown>): Unplaced {
    const hasBelow = this.agents.childrenOf(path).some((child) => kept.has(child));
    return { kind: 'agent', key: agentKey(path), level, path, isOpen: hasBelow ? true : null };
  }
}

function inOrder(members: readonly AgentRow[]): AgentRow[] {
  return [...members].sort((a, b) => (a.batch?.index ?? 0) - (b.batch?.index ?? 0));
}

/** Paths of the agents that one tool call started, in their order; limited to a state if one is given. */
export function batchMembers(agents: Agents, parent: string, callId: string | null, state?: ViewState): string[] {
  const rows = agents.childrenOf(parent).flatMap((path) => agents.row(path) ?? []);
  const members: Member[] = inOrder(rows.filter(({ batch }) => callId === null || batch?.callId === callId));
  return members.filter((member) => state === undefined || foldState(agents, member) === state).map(({ path }) => path);
}
