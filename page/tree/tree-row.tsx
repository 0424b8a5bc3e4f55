import type { VNode } from 'preact';
import { Icon } from '../components/icon';
import { rowHeight } from '../shell/screen';
import { goWithin } from '../state/place';
import { selectedPath, shownRun } from '../state/session';
import { AgentCells } from './agent-cells';
import { spokenName } from './agent-name';
import { BatchCells, batchName, FailureCells, FoldCells } from './group-cells';
import { type AgentTreeRow, type TreeRow } from './rows';
import { activeKey, toggle } from './tree-state';

/** Levels that are indented. Deeper ones show their number instead, so that names keep their room. */
const indentedLevels = 9;

/** One row of the tree. Its place is set by properties, because most rows are not mounted. */
export function TreeRowView({ row, top }: { row: TreeRow; top: number }): VNode {
  const isSelected = row.kind === 'agent' && row.path === selectedPath.value;
  const isActive = row.key === activeKey.value;
  const classes = ['row', row.kind, isSelected ? 'selected' : '', isActive ? 'active' : ''].join(' ');
  return (
    <div
      id={`row-${row.key}`}
      data-key={row.key}
      class={classes}
      role="treeitem"
      aria-level={row.level}
      aria-posinset={posinset(row)}
      aria-setsize={setsize(row)}
      aria-selected={isSelected}
      aria-label={nameOf(row)}
      {...(row.isOpen === null ? {} : { 'aria-expanded': row.isOpen })}
      style={{ transform: `translateY(${top}px)`, height: `${rowHeight.value}px` }}
      onClick={() => choose(row)}
    >
      <div class="cells" style={{ paddingLeft: `${8 + Math.min(row.level - 1, indentedLevels - 1) * 14}px` }}>
        {row.level > indentedLevels ? <span class="depth">+{row.level - indentedLevels}</span> : null}
        <Arrow row={row} />
        <Cells row={row} />
      </div>
    </div>
  );
}

function Cells({ row }: { row: TreeRow }): VNode | null {
  switch (row.kind) {
    case 'agent':
      return <AgentCells path={row.path} />;
    case 'batch':
      return <BatchCells row={row} />;
    case 'fold':
      return <FoldCells row={row} />;
    case 'failure':
      return <FailureCells row={row} />;
  }
}

/** Not a button of its own: the row is opened by the arrow keys, and a tree item must not contain controls. */
function Arrow({ row }: { row: TreeRow }): VNode {
  if (row.isOpen === null) return <span class="arrow" />;
  return (
    <span
      class="arrow"
      onClick={(event) => {
        event.stopPropagation();
        activeKey.value = row.key;
        toggle(row.key);
      }}
    >
      <Icon name={row.isOpen ? 'down' : 'right'} />
    </span>
  );
}

/** Selects the agent of a row. Other rows open or close. */
export function choose(row: TreeRow): void {
  activeKey.value = row.key;
  if (row.kind === 'agent') selectAgent(row, 'push');
  else toggle(row.key);
}

/** Goes to an agent, and leaves what was open of another one. The tab stays. */
export function selectAgent({ path }: AgentTreeRow, how: 'push' | 'replace'): void {
  const left = { t: undefined, c: undefined, i: undefined, s: undefined, f: undefined };
  // On a narrow screen, a tab in the address shows the agent instead of the tree.
  const tab = path === '' && how === 'push' ? { tab: 'conversation' } : {};
  goWithin({ path, params: { ...left, table: undefined, state: undefined, find: undefined, ...tab } }, how);
}

function agentOf(row: TreeRow): ReturnType<NonNullable<typeof shownRun.value>['row']> {
  return row.kind === 'agent' ? shownRun.value?.agent(row.path)?.value : undefined;
}

function posinset(row: TreeRow): number {
  const batch = agentOf(row)?.batch ?? null;
  return batch === null || batch.size < 2 ? row.position : batch.index + 1;
}

function setsize(row: TreeRow): number {
  const batch = agentOf(row)?.batch ?? null;
  return batch === null || batch.size < 2 ? row.siblings : batch.size;
}

function nameOf(row: TreeRow): string {
  const agent = agentOf(row);
  if (agent !== undefined) return spokenName(agent);
  return row.kind === 'agent' ? '' : batchName(row);
}
