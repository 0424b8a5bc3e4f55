import type { Signal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';
import { singleKeys } from '../shell/single-keys';
import type { ConversationState } from './conversation-state';
import { firstVisible, type ScrollKeeper } from './scroll-keeper';

interface KeyContext {
  readonly state: ConversationState;
  readonly view: RefObject<HTMLElement | null>;
  readonly content: RefObject<HTMLElement | null>;
  readonly keeper: Signal<ScrollKeeper | null>;
}

/** Keys of the conversation: `[` `]` turns, `{` `}` tool calls, `o` `O` open and fold, `End` follow. */
export function useReadingKeys(context: KeyContext): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isElsewhere(event)) return;
      if (act(event.key, context)) event.preventDefault();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [context.state]);
}

/** Carries out the action of a key. Returns whether it has one. */
function act(key: string, context: KeyContext): boolean {
  switch (key) {
    case '[':
    case ']':
      step(context, '.turn', key === ']' ? 1 : -1);
      return true;
    case '{':
    case '}':
      step(context, '.call > summary', key === '}' ? 1 : -1);
      return true;
    case 'o':
      toggleCurrent(context);
      return true;
    case 'O':
      toggleInView(context);
      return true;
    case 'End':
      void context.state.loadEnd().then(() => context.keeper.peek()?.follow());
      return true;
    default:
      return false;
  }
}

/** Goes to the next or previous element from where the focus or the top of the view is. */
function step({ content, view, keeper }: KeyContext, selector: string, direction: 1 | -1): void {
  const all = [...(content.current?.querySelectorAll<HTMLElement>(selector) ?? [])];
  const focused = document.activeElement;
  const here = focused instanceof HTMLElement ? (focused.closest<HTMLElement>(selector) ?? focused) : null;
  const isInside = here !== null && content.current?.contains(here) === true;
  const from = isInside ? here : firstVisibleEntry({ content, view });
  const index = all.findIndex((each) => each === from);
  const after = all.findIndex((each) => from !== null && isAfter(from, each));
  const target =
    index === -1 ? all[direction === 1 ? after : (after === -1 ? all.length : after) - 1] : all[index + direction];
  if (target === undefined) return;
  keeper.peek()?.show(target);
  target.focus({ preventScroll: true });
}

function isAfter(from: Element, other: Element): boolean {
  return (from.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
}

function firstVisibleEntry({ content, view }: Pick<KeyContext, 'content' | 'view'>): HTMLElement | null {
  if (content.current === null || view.current === null) return null;
  return firstVisible(content.current, view.current.getBoundingClientRect().top);
}

/** Opens or folds the focused call, or the first one of the turn that is read. */
function toggleCurrent({ state, content, view, keeper }: KeyContext): void {
  const focused = document.activeElement?.closest<HTMLElement>('[data-call]');
  const call =
    focused ??
    document.activeElement?.closest('.turn')?.querySelector<HTMLElement>('[data-call]') ??
    firstVisibleEntry({ content, view })?.querySelector<HTMLElement>('[data-call]');
  const id = call?.dataset['call'];
  if (id === undefined) return;
  keeper.peek()?.stop();
  state.toggle(id, !state.open.peek().has(id));
}

/** Opens all calls in view, or folds them if all are open. */
function toggleInView({ state, content, view, keeper }: KeyContext): void {
  const box = view.current?.getBoundingClientRect();
  if (box === undefined) return;
  const inView = [...(content.current?.querySelectorAll<HTMLElement>('[data-call]') ?? [])].filter((call) => {
    const { top, bottom } = call.getBoundingClientRect();
    return bottom > box.top && top < box.bottom;
  });
  const ids = inView.flatMap((call) => call.dataset['call'] ?? []);
  const isOpening = ids.some((id) => !state.open.peek().has(id));
  keeper.peek()?.stop();
  for (const id of ids) state.toggle(id, isOpening);
}

/** Whether a key is meant for a field, a dialog or the tree, or single keys are off. */
function isElsewhere({ target, key }: KeyboardEvent): boolean {
  if (!singleKeys.peek() || document.querySelector('dialog[open]') !== null) return true;
  if (!(target instanceof HTMLElement)) return true;
  return target.matches('input, textarea, select') || (key === 'End' && target.closest('#tree') !== null);
}
