// What is shown, and how it is kept up to date: greets the server, loads what the address names, and follows it.
import { batch, computed, effect, signal } from '@preact/signals';
import { api, RequestFailed } from '../api';
import { FrameStream } from '../live/stream';
import type { Attention, Frame, Hello, RunSnapshot } from '../protocol';
import { resolvePath, type Resolved } from './address';
import { setServerTime } from './clock';
import { connection } from './connection';
import { type Loadable, loading, toError } from './loadable';
import { place } from './place';
import { RunState } from './run-state';
import { applyCounts, applyRunRow, loadRuns, runs, streamParams } from './runs';

/** The server, as it introduced itself; null before that. */
export const hello = signal<Hello | null>(null);

/** The run that the address names. */
export const currentRun = signal<Loadable<RunState>>(loading);

/** Open incidents of all runs; null before they are known. */
export const attention = signal<Attention | null>(null);

/** The run that is shown; undefined while there is none. */
export const shownRun = computed(() => (currentRun.value.is === 'ready' ? currentRun.value.value : undefined));

/** The agent that the address names, or why there is none. */
export const selection = computed<Resolved | undefined>(() => {
  const [to, run] = [place.value, shownRun.value];
  if (to.page !== 'run' || run === undefined) return undefined;
  return run.structure.value >= 0 ? resolvePath(to.path, (path) => run.childrenOf(path)) : undefined;
});

/** Path of the selected agent, or of the nearest one above a place that doesn't exist. */
export const selectedPath = computed<string>(() => {
  const found = selection.value;
  return found === undefined ? '' : found.kind === 'found' ? found.path : found.nearest;
});

type Listener = (frame: Frame) => void;
const listeners = new Set<Listener>();

/** Calls back with every frame of the shown run, such as entries of the selected agent. Returns how to stop it. */
export function onFrame(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

let waiting: Frame[] = [];

/** Frames are applied once per picture of the screen, however many arrive. */
export const stream = new FrameStream((frames) => {
  if (waiting.length === 0) requestApply();
  waiting.push(...frames);
});

/** A hidden tab draws nothing, and the browser would not call back. */
function requestApply(): void {
  if (document.hidden) setTimeout(applyWaiting, 200);
  else requestAnimationFrame(applyWaiting);
}

function applyWaiting(): void {
  const frames = waiting;
  waiting = [];
  batch(() => {
    for (const frame of frames) {
      apply(frame);
      for (const listener of listeners) listener(frame);
    }
  });
}

function apply(frame: Frame): void {
  const run = shownRun.peek();
  switch (frame.kind) {
    case 'hello':
      if (hello.peek() !== null) hello.value = { ...hello.peek(), epoch: frame.epoch } as Hello;
      setServerTime(frame.now);
      reloadList();
      return;
    case 'ping':
      setServerTime(frame.now);
      return;
    case 'rows':
      run?.change(frame.rows);
      return;
    case 'run':
      if (run !== undefined && run.runId === frame.run.runId) run.update(frame);
      if (place.peek().page === 'runs') applyRunRow(frame.run);
      return;
    case 'counts':
      applyCounts(frame);
      return;
    case 'incidents':
      if (run !== undefined) run.incidents.value = frame.incidents;
      void loadAttention();
      return;
    case 'reset':
      reloadList();
      void loadRun();
      return;
    case 'entries':
    case 'speaking':
      return;
  }
}

/** Loads the list again if it was loaded before. Without a stream, more runs may have started than the next one sends. */
function reloadList(): void {
  const to = place.peek();
  if (to.page === 'runs' && runs.peek().counts !== null && !runs.peek().isLoading) void loadRuns(to);
}

/** Asks who needs a decision. */
export async function loadAttention(): Promise<void> {
  attention.value = await api()
    .get<Attention>('attention')
    .catch(() => attention.peek());
}

/** Runs that were shown last. Who goes back finds folds and scroll positions as they were. */
const recent = new Map<string, RunState>();
const mostRecent = 3;

function remember(run: RunState): void {
  recent.delete(run.runId);
  recent.set(run.runId, run);
  for (const oldest of [...recent.keys()].slice(0, -mostRecent)) recent.delete(oldest);
}

/** Loads the run that the address names, or loads it again. What is shown of it stays until the new picture is there. */
export async function loadRun(): Promise<void> {
  const to = place.peek();
  if (to.page !== 'run') return;
  const known = recent.get(to.run);
  currentRun.value = known === undefined ? loading : { is: 'ready', value: known };
  try {
    const snapshot = await api().get<RunSnapshot>(`runs/${encodeURIComponent(to.run)}`);
    known?.load(snapshot);
    const now = place.peek();
    if (now.page !== 'run' || now.run !== to.run) return;
    const run = known ?? new RunState(snapshot);
    remember(run);
    currentRun.value = { is: 'ready', value: run };
    followRun(to.run, snapshot.seq);
  } catch (error) {
    // What is on the screen is still readable; the banner says that the server does not answer.
    const isLost = error instanceof RequestFailed && error.status === 0;
    if (known === undefined || !isLost) currentRun.value = { is: 'failed', error: toError(error) };
    else stream.follow({ run: to.run, focus: null }, null);
  }
}

function followRun(run: string, seq: number): void {
  if (api().recordedAt !== null) return;
  const epoch = hello.peek()?.epoch ?? '';
  stream.follow({ run, focus: selectedPath.peek() }, `${epoch}.${seq}`);
}

/** Greets the server. Whoever opens the page before the server is there sees when it comes. */
export async function loadHello(): Promise<void> {
  const answer = await api().get<Hello>('hello').catch(helloLater);
  if (answer === undefined) return loadHello();
  hello.value = answer;
  setServerTime(answer.now);
  const { recordedAt } = api();
  connection.value = recordedAt === null ? { is: 'connected' } : { is: 'recorded', at: recordedAt };
}

/** Greets the server again when something is missing or back: it may read from another Temporal server now. */
async function greetAgain(): Promise<void> {
  if (hello.peek() === null || api().recordedAt !== null) return;
  const answer = await api()
    .get<Hello>('hello')
    .catch(() => undefined);
  if (answer !== undefined) hello.value = answer;
}

async function helloLater(): Promise<undefined> {
  if (connection.peek().is === 'denied') return new Promise(() => undefined);
  const since = Date.now();
  connection.value = { is: 'lost', since, retryAt: since + 2_000 };
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  return undefined;
}

/** Starts to follow the address: loads its run, and tells the server which agent is read. */
export function startSession(): void {
  const runOf = computed(() => (place.value.page === 'run' ? place.value.run : null));
  effect(() => {
    if (runOf.value !== null) void loadRun();
  });
  const listOf = computed(() => (place.value.page === 'runs' ? streamParams(place.value) : null));
  effect(() => {
    if (listOf.value === null || api().recordedAt !== null) return;
    // What is on its way belongs to another list.
    waiting = [];
    stream.follow({ run: null, focus: null, list: listOf.value }, null);
  });
  const gaps = computed(() => [...runs.value.gaps, ...(shownRun.value?.gaps.value ?? [])].join('\n'));
  gaps.subscribe(() => void greetAgain());
  let timer: ReturnType<typeof setTimeout> | undefined;
  effect(() => {
    const focus = selectedPath.value;
    const run = shownRun.value;
    clearTimeout(timer);
    if (run === undefined || api().recordedAt !== null) return;
    // Moving through the tree with a key held down must not open a stream per row.
    timer = setTimeout(() => stream.follow({ run: run.runId, focus }, stream.position), 120);
  });
}
