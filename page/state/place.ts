import { signal } from '@preact/signals';
import { type AgentParams, formatAddress, parseAddress, type Place, type RunPlace } from './address';

/** The place that the address names. */
export const place = signal<Place>(parseAddress(location.hash));

/** Goes to a place. `push` adds an entry that the back button returns from; `replace` changes the current one. */
export function go(to: Place, how: 'push' | 'replace' = 'push'): void {
  const address = formatAddress(to);
  if (address === location.hash) return;
  if (how === 'push') {
    // What isn't scrolled at the new place is still where it was.
    const before = positions.get(entry());
    history.pushState({ entry: nextEntry() }, '', address);
    if (before !== undefined) positions.set(entry(), new Map(before));
    isReturning = false;
    isArriving = false;
  } else history.replaceState({ entry: entry() }, '', address);
  place.value = to;
}

/** Changes the address of the run that is shown. Parameters that are undefined are removed. */
export function goWithin(
  change: { readonly path?: string; readonly params?: { readonly [Name in keyof AgentParams]: string | undefined } },
  how: 'push' | 'replace' = 'push',
): void {
  const to = within(change);
  if (to !== undefined) go(to, how);
}

/** The place that `goWithin` goes to; undefined if no run is shown. */
export function within({ path, params }: Parameters<typeof goWithin>[0]): RunPlace | undefined {
  const from = place.value;
  if (from.page !== 'run') return undefined;
  const kept = Object.entries({ ...from.params, ...params }).filter(([, value]) => value !== undefined && value !== '');
  return { ...from, path: path ?? from.path, params: Object.fromEntries(kept) };
}

/** Address of an agent of the run that is shown, for a link. The tree keeps its filter. */
export function agentHref(run: string, path: string, params: AgentParams = {}): string {
  const from = place.value;
  const filter = from.page === 'run' && from.run === run && from.params.q !== undefined ? { q: from.params.q } : {};
  return formatAddress({ page: 'run', run, path, params: { ...filter, ...params } });
}

/** Whether the address names more than a run: on a narrow screen, that is shown instead of the tree. */
export function showsDetail(): boolean {
  const at = place.value;
  if (at.page !== 'run') return false;
  const { q: _filter, ...params } = at.params;
  return at.path !== '' || Object.keys(params).length > 0;
}

/** Makes a link push its address, except for clicks that open another tab. */
export function followLink(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
  const href = (event.currentTarget as HTMLAnchorElement).getAttribute('href');
  if (href === null || !href.startsWith('#')) return;
  event.preventDefault();
  go(parseAddress(href));
}

let entries = Date.now();
const nextEntry = (): number => ++entries;

/** Number of the entry in the browser's history. */
function entry(): number {
  const state = history.state as { entry?: number } | null;
  return state?.entry ?? 0;
}

// Scroll positions by entry of the history, so that the back button also restores where the reader was.
let isReturning = false;
/** Whether the place that the reader returns to is not drawn yet. */
let isArriving = false;
const positions = new Map<number, Map<string, number>>();

/** Remembers the scroll position of a part of the page for the current entry. */
export function rememberScroll(part: string, top: number): void {
  if (isArriving) return;
  const current = positions.get(entry()) ?? new Map<string, number>();
  current.set(part, top);
  positions.set(entry(), current);
}

/** The scroll position that a part of the page had when the current entry was left; undefined for a new entry. */
export function recalledScroll(part: string): number | undefined {
  return !isReturning ? undefined : positions.get(entry())?.get(part);
}

/**
 * Ignores what is scrolled until the place that the reader returns to is drawn. The browser reports scrolling with its next
 * picture: until then, it is that of the place before, which must not replace what is known of this one.
 */
function arrive(): void {
  isArriving = true;
  requestAnimationFrame(() => requestAnimationFrame(() => (isArriving = false)));
}

/** Starts to follow the address. */
export function watchAddress(): void {
  history.scrollRestoration = 'manual';
  addEventListener('popstate', () => {
    // A fragment that somebody typed is a new place.
    isReturning = history.state !== null;
    if (isReturning) arrive();
    else history.replaceState({ entry: nextEntry() }, '');
    if (formatAddress(place.value) !== location.hash) place.value = parseAddress(location.hash);
  });
}
