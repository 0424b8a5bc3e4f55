import type { BudgetBounds } from './budget';
import type { ChildBounds } from './children';
import type { JournalBounds } from './journal';
import type { SessionBounds } from './session-world';

/** What is explored of each protocol. */
interface Bounds {
  readonly session: readonly SessionBounds[];
  readonly children: readonly ChildBounds[];
  readonly budget: readonly BudgetBounds[];
  readonly journal: readonly JournalBounds[];
}

/** Explored in every test run. */
export const smallBounds: Bounds = {
  session: [
    { writers: 3, turns: 2, crashes: 1, resets: 1, moves: 0 },
    { writers: 2, turns: 2, crashes: 1, resets: 1, moves: 1 },
    { writers: 2, turns: 2, crashes: 1, resets: 0, moves: 1, replies: true },
  ],
  children: [{ delegations: 2, failures: 2, resets: 2, retries: 1 }],
  budget: [
    { tokens: 11, delegations: 3, terminations: 1, lost: 1 },
    { tokens: 14, delegations: 2, terminations: 2, lost: 0 },
  ],
  journal: [
    { writers: ['later', 'now'], kills: 1, powerCuts: 0 },
    { writers: ['later', 'later'], kills: 0, powerCuts: 1 },
  ],
};

/** Explored by `npm run interleavings`, in minutes. */
export const largeBounds: Bounds = {
  session: [
    { writers: 3, turns: 2, crashes: 2, resets: 1, moves: 0 },
    { writers: 3, turns: 2, crashes: 1, resets: 1, moves: 1 },
    { writers: 2, turns: 2, crashes: 1, resets: 2, moves: 1 },
    { writers: 2, turns: 2, crashes: 1, resets: 1, moves: 1, replies: true },
  ],
  children: [{ delegations: 3, failures: 3, resets: 2, retries: 1 }],
  budget: [
    { tokens: 14, delegations: 3, terminations: 2, lost: 1 },
    { tokens: 18, delegations: 3, terminations: 2, lost: 0 },
  ],
  journal: [
    { writers: ['later', 'now', 'later'], kills: 1, powerCuts: 0 },
    { writers: ['later', 'later'], kills: 1, powerCuts: 1 },
    { writers: ['later', 'now'], kills: 1, powerCuts: 1 },
  ],
};
