import { type Signal, signal } from '@preact/signals';

/** What somebody has begun to write about an incident, or to steer an agent with. */
export type Draft = Readonly<Record<string, string>>;

const drafts = new Map<string, Signal<Draft>>();

/** The draft with this key. It survives updates, reconnects and reloads of the tab. */
export function draftOf(key: string): Signal<Draft> {
  const known = drafts.get(key);
  if (known !== undefined) return known;
  const draft = signal<Draft>(read(key));
  drafts.set(key, draft);
  return draft;
}

/** Changes a field of a draft. */
export function writeDraft(key: string, field: string, text: string): void {
  const draft = draftOf(key);
  const { [field]: _before, ...rest } = draft.peek();
  draft.value = text === '' ? rest : { ...rest, [field]: text };
  store(key, draft.peek());
}

/** Forgets a draft that was sent. */
export function clearDraft(key: string): void {
  draftOf(key).value = {};
  store(key, {});
}

/** The part of the browser's storage that drafts need. Logic that is tested outside of a browser has none. */
interface DraftStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/** Undefined outside of a browser. Throws where a browser forbids storage. */
function openStorage(): DraftStorage | undefined {
  return (globalThis as { readonly sessionStorage?: DraftStorage }).sessionStorage;
}

const storageKey = (key: string): string => `baton.draft.${key}`;

function read(key: string): Draft {
  try {
    const value: unknown = JSON.parse(openStorage()?.getItem(storageKey(key)) ?? '{}');
    return typeof value === 'object' && value !== null ? (value as Draft) : {};
  } catch {
    return {};
  }
}

function store(key: string, draft: Draft): void {
  try {
    if (Object.keys(draft).length === 0) openStorage()?.removeItem(storageKey(key));
    else openStorage()?.setItem(storageKey(key), JSON.stringify(draft));
  } catch {
    // A page without storage keeps its drafts as long as it is open.
  }
}
