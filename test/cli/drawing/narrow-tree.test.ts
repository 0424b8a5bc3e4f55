import { collapseTree, treeLines } from '../../../cli/delegation/draw-tree';
import { plainLine } from '../../../cli/screen/style';
import type { AgentDetails, TreeNode } from '../../../client/delegation/tree-node';
import { noFigures } from '../../../domain/budget';

const id = 'run/r1/step';
const step: TreeNode = {
  execution: {
    workflowId: id,
    type: 'delegationWorkflow',
    taskQueue: 'baton',
    state: 'COMPLETED',
    batonStatus: null,
    skill: 'planner',
    ordinal: null,
    startedAt: 0,
    closedAt: 1_000,
  },
  children: [],
};
const own = { ...noFigures, turns: 3, microUsd: 21_000 };
const details: AgentDetails = {
  summary: 'skills/planner: plan: Warn the harbour master when the water will be too low.',
  snapshot: null,
  importing: null,
  figures: { own, withDelegations: own },
  budget: null,
  skipped: null,
  failure: null,
  fallbacks: [],
};

test.each([
  [90, '✓ step  completed · 3 turns · 0 tokens · $0.021  skills/planner: plan: Warn the harbour m…'],
  [68, '✓ step  completed · 3 turns · 0 tokens · $0.021  skills/planner: pl…'],
  [66, '✓ step  completed  skills/planner: plan: Warn the harbour master…'],
])('of %i columns, a row shortens what the agent is for before it leaves out what it cost', (columns, expected) => {
  const [row] = treeLines(collapseTree(step), new Map([[id, details]]), columns);
  expect(plainLine(row!.line)).toBe(expected);
});
