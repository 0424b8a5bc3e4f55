import type { Signal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { AgentRow } from '../../client/view/run-view';
import type { AgentParams } from '../state/address';
import { recalledScroll, rememberScroll } from '../state/place';
import { onFrame } from '../state/session';
import type { ConversationState, Wanted } from './conversation-state';
import { hasNewer, hasOlder } from './entry-list';
import { useReadingKeys } from './reading-keys';
import { ScrollKeeper } from './scroll-keeper';

interface Reading {
  readonly state: ConversationState;
  readonly agent: AgentRow;
  readonly params: AgentParams;
  readonly view: RefObject<HTMLElement | null>;
  readonly content: RefObject<HTMLElement | null>;
  readonly keeper: Signal<ScrollKeeper | null>;
}

/** Time for which a turn or call that an address names is outlined. */
const outlineMs = 2_000;

/** Loads, follows and scrolls a conversation while it is shown. */
export function useReading(reading: Reading): void {
  const { state, agent, params, view, content, keeper } = reading;
  const isClosed = agent.endedAt !== null;
  useLayoutEffect(() => attach(reading), [state]);
  useEffect(() => openAt(state, isClosed, wantedEntry(params)), [state]);
  useEffect(
    () => whileWanted((isWanted) => showWanted(reading, isWanted)),
    [state, params.t, params.c, state.isLoaded.value],
  );
  useEffect(() => loadNearEnds(state, view.current, content.current), [state, state.isLoaded.value]);
  useArrivals(state, keeper);
  useReadingKeys(reading);
}

function wantedEntry({ t, c }: AgentParams): Wanted {
  return { turn: t, call: c };
}

/** Starts to keep what is read where it is. Comes back to where the reader was when this entry of the history was left. */
function attach({ state, agent, params, view, content, keeper }: Reading): (() => void) | undefined {
  if (view.current === null || content.current === null) return undefined;
  const current = new ScrollKeeper(view.current, content.current);
  if (goBack(state, current)) current.keep();
  else if (agent.endedAt !== null || params.t !== undefined || params.c !== undefined) current.startReading();
  else current.follow();
  keeper.value = current;
  const detach = current.attach();
  const ended = keepPosition(state, current, view.current);
  return () => {
    ended();
    detach();
    keeper.value = null;
  };
}

/** Kept in place of a position while the end is followed. */
const atEnd = -1;

/** Goes to where the reader was when this entry of the history was left. Returns whether there is such a place. */
function goBack(state: ConversationState, keeper: ScrollKeeper | null): boolean {
  const [position, offset] = [recalledScroll(`${state.path} entry`), recalledScroll(`${state.path} offset`)];
  if (position === undefined || offset === undefined) return false;
  if (position === atEnd) keeper?.follow();
  else keeper?.restore({ position, offset });
  return true;
}

function keepPosition(state: ConversationState, keeper: ScrollKeeper, view: HTMLElement): () => void {
  const save = (): void => {
    const { current } = keeper;
    if (current === null) return;
    rememberScroll(`${state.path} entry`, keeper.following.peek().isOn ? atEnd : current.position);
    rememberScroll(`${state.path} offset`, current.offset);
  };
  view.addEventListener('scroll', save, { passive: true });
  const unfollow = keeper.following.subscribe(({ isOn }) => {
    state.isFollowing = isOn;
  });
  return () => {
    view.removeEventListener('scroll', save);
    unfollow();
  };
}

/** Loads what is needed first, and takes what the server sends. */
function openAt(state: ConversationState, isClosed: boolean, wanted: Wanted): () => void {
  if (state.isLoaded.peek()) void state.refresh();
  else void state.loadFirst(isClosed ? 'start' : 'end', wanted);
  return onFrame((frame) => {
    if (frame.kind === 'entries' && frame.agent === state.path) state.receive(frame.entries, frame.total);
    if (frame.kind === 'speaking' && frame.agent === state.path) state.speaking.value = frame.reply;
  });
}

/** Starts work that has to know whether the address still asks for it. Returns how to end it. */
function whileWanted(work: (isWanted: () => boolean) => Promise<void>): () => void {
  const left = new AbortController();
  void work(() => !left.signal.aborted);
  return () => left.abort();
}

async function showWanted({ state, params, content, keeper }: Reading, isWanted: () => boolean): Promise<void> {
  const wanted = wantedEntry(params);
  if (!state.isLoaded.peek()) return;
  state.missing.value = null;
  if (wanted.turn === undefined && wanted.call === undefined) {
    goBack(state, keeper.peek());
    return;
  }
  const position = await state.reach(wanted);
  if (!isWanted()) return;
  if (position === undefined && state.error.peek() === null) state.missing.value = wanted;
  if (wanted.call !== undefined) state.toggle(wanted.call, true);
  await new Promise((drawn) => requestAnimationFrame(drawn));
  if (!isWanted()) return;
  const entry = content.current?.querySelector<HTMLElement>(`[data-entry="${position ?? ''}"]`);
  if (entry === null || entry === undefined) return;
  const call =
    wanted.call === undefined ? null : entry.querySelector<HTMLElement>(`[data-call="${CSS.escape(wanted.call)}"]`);
  const target = call ?? entry;
  keeper.peek()?.show(target);
  (call?.querySelector('summary') ?? entry).focus({ preventScroll: true });
  target.classList.add('outlined');
  setTimeout(() => target.classList.remove('outlined'), outlineMs);
}

/** Loads older and newer pages when their place comes near the view. */
function loadNearEnds(
  state: ConversationState,
  view: HTMLElement | null,
  content: HTMLElement | null,
): (() => void) | undefined {
  if (view === null || content === null) return undefined;
  const near = (): void => {
    const { scrollTop, scrollHeight, clientHeight } = view;
    const margin = clientHeight * 1.5;
    const list = state.list.peek();
    if (scrollTop < margin && hasOlder(list)) void state.loadOlder();
    else if (scrollHeight - clientHeight - scrollTop < margin && hasNewer(list)) void state.loadNewer();
  };
  view.addEventListener('scroll', near, { passive: true });
  const unfollow = state.list.subscribe(() => requestAnimationFrame(near));
  return () => {
    view.removeEventListener('scroll', near);
    unfollow();
  };
}

/** After new entries were drawn: counts them, and puts the view where it belongs. */
function useArrivals(state: ConversationState, keeper: Signal<ScrollKeeper | null>): void {
  const counted = useRef({ state, arrived: state.arrived.value });
  const arrived = state.arrived.value;
  const list = state.list.value;
  useLayoutEffect(() => {
    const before = counted.current.state === state ? counted.current.arrived : arrived;
    counted.current = { state, arrived };
    keeper.peek()?.added(arrived - before);
    keeper.peek()?.keep();
  }, [state, list, arrived]);
}
