// Who needs a decision: the title of the tab, and the order in which `n` visits them.
import { effect, signal } from '@preact/signals';
import { api } from '../api';
import { onSlotWanted } from '../live/slots';
import { connection } from '../state/connection';
import { go, place } from '../state/place';
import { attention, loadAttention, selectedPath, shownRun, stream } from '../state/session';
import { announce } from './live-region';

/** Time after which a hidden tab gives its stream up, in milliseconds. */
const hiddenMs = 30_000;
const [shownPollMs, hiddenPollMs] = [1_000, 10_000];

/** A place where somebody is needed. */
export interface NeededPlace {
  readonly runId: string;
  readonly path: string;
  readonly id: string;
  readonly since: number;
}

/** Whether the tab is hidden. The run that is shown is then not followed, and only the poll knows who needs a decision. */
const isHidden = signal(document.hidden);

/** Everybody who needs a decision; those of the run that is shown come first, then the oldest. */
export function neededPlaces(): readonly NeededPlace[] {
  const all = attention.value?.incidents ?? [];
  const run = shownRun.value;
  const isHere = ({ runId }: NeededPlace): boolean => runId === run?.runId;
  if (run === undefined || isHidden.value) return [...all.filter(isHere), ...all.filter((each) => !isHere(each))];
  const here = run.incidents.value.map(({ path, id, since }) => ({
    runId: run.runId,
    path,
    id,
    since: Date.parse(since),
  }));
  return [...here, ...all.filter((each) => !isHere(each))];
}

/** Number of agents that need a decision, in all runs. */
export function neededCount(): number {
  const known = attention.value;
  const beyond = known === null ? 0 : known.count - known.incidents.length;
  return neededPlaces().length + Math.max(0, beyond);
}

/** Goes to the next place where somebody is needed, or to the one before. */
export function goToNeeded(step: 1 | -1): void {
  const all = neededPlaces();
  const at = place.peek();
  // The selected path is known only when the run is loaded, and the next key may come before that.
  const isAt = (path: string): boolean => at.page === 'run' && (at.path === path || selectedPath.peek() === path);
  const current = all.findIndex(
    ({ runId, path, id }) => at.page === 'run' && at.run === runId && isAt(path) && (at.params.i ?? '') === id,
  );
  const start = current === -1 && step === -1 ? 0 : current;
  const next = all[(start + step + all.length) % all.length];
  // The id of an incident is empty as long as no worker has answered.
  if (next !== undefined)
    go({ page: 'run', run: next.runId, path: next.path, params: next.id === '' ? {} : { i: next.id } });
}

/** Keeps title, announcements and polling up to date. */
export function startAttention(): void {
  effect(() => {
    const count = neededCount();
    const run = place.value.page === 'run' ? shownRun.value?.run.value.title : undefined;
    document.title = `${count > 0 ? `(${count}) ` : ''}${run === undefined ? 'Runs' : run.slice(0, 80)} · Baton`;
  });
  announceChanges();
  if (api().recordedAt !== null) return;
  poll();
  giveStreamUpWhenHidden();
}

function announceChanges(): void {
  let before = 0;
  effect(() => {
    const count = neededCount();
    if (count > before) announce(count === 1 ? 'An agent needs you' : `${count} agents need you`);
    before = count;
  });
  let wasLost = false;
  effect(() => {
    const isLost = connection.value.is === 'lost';
    if (isLost !== wasLost) announce(isLost ? 'Connection lost' : 'Connected again');
    wasLost = isLost;
  });
  let ended: string | undefined;
  effect(() => {
    const run = shownRun.value?.run.value;
    const isOver = run !== undefined && run.endedAt !== null;
    if (isOver && ended === 'open') announce(`Run ${run.state}`);
    ended = run === undefined ? undefined : isOver ? 'over' : 'open';
  });
}

function poll(): void {
  const again = (): void => {
    setTimeout(() => void loadAttention().finally(again), document.hidden ? hiddenPollMs : shownPollMs);
  };
  again();
}

function giveStreamUpWhenHidden(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  document.addEventListener('visibilitychange', () => {
    clearTimeout(timer);
    isHidden.value = document.hidden;
    if (document.hidden) timer = setTimeout(() => stream.pause(), hiddenMs);
    else {
      stream.resume();
      void loadAttention();
    }
  });
  onSlotWanted(() => {
    if (document.hidden) stream.pause();
  });
  addEventListener('online', () => stream.retry());
}
