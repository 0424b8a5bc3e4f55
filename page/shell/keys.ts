// Keys that work everywhere. Those of the tree and of conversations are handled where the focus is.
import { copyText } from '../components/copy';
import { connection } from '../state/connection';
import { go, goWithin, place } from '../state/place';
import { selectedPath, shownRun } from '../state/session';
import { foldsIdle } from '../timeline/timeline-state';
import { closeActive, moveBy, openActive } from '../tree/tree-keys';
import { tidy, toggleAll } from '../tree/tree-state';
import { goToNeeded } from './attention';
import { isGoToOpen } from './go-to';
import { isKeyTableOpen } from './key-table';
import { announce } from './live-region';
import { singleKeys } from './single-keys';

const tabs = ['conversation', 'prompt', 'files', 'artifacts', 'budget', 'events'];

function focus(selector: string): void {
  document.querySelector<HTMLElement>(selector)?.focus();
}

/** Goes to the next or previous agent that failed, in the order of the run. */
function goToFailure(step: 1 | -1): void {
  const failed = [...(shownRun.peek()?.all() ?? [])]
    .map((agent) => agent.peek())
    .filter(({ state }) => state === 'failed')
    .map(({ path }) => path);
  const at = failed.indexOf(selectedPath.peek());
  const next = failed[(at === -1 && step === -1 ? failed.length - 1 : at + step + failed.length) % failed.length];
  if (next !== undefined) goWithin({ path: next, params: { t: undefined, c: undefined, i: undefined } });
}

function goToParent(): void {
  const path = selectedPath.peek();
  if (path !== '') goWithin({ path: path.slice(0, Math.max(0, path.lastIndexOf('/'))) });
}

async function copyLink(): Promise<void> {
  announce((await copyText(location.href)) ? 'Link copied' : 'The link could not be copied');
}

/** Keys of the whole page. They only look and move: no key decides anything. */
const anywhere: Readonly<Record<string, () => void>> = {
  '?': () => {
    isKeyTableOpen.value = true;
  },
  n: () => goToNeeded(1),
  N: () => goToNeeded(-1),
  g: () => go({ page: 'runs', status: null, q: '' }),
  y: () => void copyLink(),
  '/': () => focus('#filter'),
};

const inRun: Readonly<Record<string, () => void>> = {
  j: () => moveBy(1),
  k: () => moveBy(-1),
  ArrowDown: () => moveBy(1),
  ArrowUp: () => moveBy(-1),
  ArrowRight: openActive,
  ArrowLeft: closeActive,
  Enter: () => focus('#detail h2'),
  x: () => goToFailure(1),
  X: () => goToFailure(-1),
  p: goToParent,
  t: () => goWithin({ path: '' }),
  e: () => toggleAll(true),
  w: () => toggleAll(false),
  '.': () => tidy(selectedPath.peek()),
  z: () => {
    foldsIdle.value = !foldsIdle.value;
  },
  ...Object.fromEntries(tabs.map((tab, index) => [String(index + 1), () => goWithin({ params: { tab } })])),
};

/** Keys that scroll or choose where the focus is in something else than the tree. */
const ofTree = ['ArrowDown', 'ArrowUp', 'ArrowRight', 'ArrowLeft', 'Enter'];

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]');
}

function handle(event: KeyboardEvent): (() => void) | undefined {
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k')
    return () => {
      isGoToOpen.value = true;
    };
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]') !== null)
    return undefined;
  if (event.key === 'Escape') return () => focus('#tree');
  if (isTyping(event.target) || !singleKeys.peek() || connection.peek().is === 'denied') return undefined;
  const target = event.target as Element;
  const inTree = target === document.body || target.id === 'tree' || target.id === 'main';
  if (ofTree.includes(event.key) && !inTree) return undefined;
  return (place.peek().page === 'run' ? inRun[event.key] : undefined) ?? anywhere[event.key];
}

/** Starts to listen to keys. What is focused may handle them first. */
export function startKeys(): void {
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented) return;
    const action = handle(event);
    if (action === undefined) return;
    event.preventDefault();
    action();
  });
}
