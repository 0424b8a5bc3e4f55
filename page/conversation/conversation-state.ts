import { batch, signal } from '@preact/signals';
import type { ConversationEntry, ConversationPage, PartialReply } from '../../client/conversation/conversation';
import { agentPath, api } from '../api';
import { toError } from '../state/loadable';
import { emptyList, type EntryList, loadedRange, pageSize, turnName, turnsFrom, withEntries } from './entry-list';

/** The entry that an address names. */
export interface Wanted {
  readonly turn: string | undefined;
  readonly call: string | undefined;
}

/** Where the reader is: the first visible entry and how far its top is from the top of the view, in pixels. */
export interface Anchor {
  readonly position: number;
  readonly offset: number;
}

/** Most requests for an entry that an address names, of which only the number of the turn is known. */
const maxSteps = 40;

/** The conversation of one agent, as far as it is loaded. It is kept while the reader looks at other agents. */
export class ConversationState {
  readonly list = signal<EntryList>(emptyList);
  readonly speaking = signal<PartialReply | null>(null);
  readonly prompt = signal<ConversationPage['prompt']>(null);
  readonly isLoaded = signal(false);
  readonly error = signal<Error | null>(null);
  /** The entry that the address names, if the conversation does not have it. */
  readonly missing = signal<Wanted | null>(null);
  /** Number of turns that have arrived while the conversation is shown. */
  readonly arrived = signal(0);
  /** Ids of calls and other parts that the reader opened. */
  readonly open = signal<ReadonlySet<string>>(new Set());
  /** Set while the conversation follows its end: older entries may then be dropped. */
  isFollowing = false;
  private request: Promise<void> | null = null;

  constructor(
    readonly run: string,
    readonly path: string,
  ) {}

  /** Loads the first page: at the end of a running agent, at the beginning of a closed one, or where an entry is. */
  loadFirst(at: 'start' | 'end', wanted: Wanted): Promise<void> {
    return this.once(async () => {
      const found = await this.find(wanted);
      const page = found ?? (await this.fetch(at === 'start' ? { after: -1 } : {}));
      this.replace(page);
    });
  }

  /** Loads the newest page again, because the agent has taken turns while another one was shown. */
  refresh(): Promise<void> {
    return this.once(async () => {
      const page = await this.fetch({});
      const { to } = loadedRange(this.list.peek());
      if ((page.entries[0]?.position ?? 0) > to) this.list.value = { ...this.list.peek(), total: page.total };
      else this.take(page);
    });
  }

  loadOlder(): Promise<void> {
    return this.once(async () => {
      const { from } = loadedRange(this.list.peek());
      if (from > 0) this.take(await this.fetch({ before: from }), 'end');
    });
  }

  loadNewer(): Promise<void> {
    return this.once(async () => {
      const list = this.list.peek();
      const { to } = loadedRange(list);
      if (to < list.total) this.take(await this.fetch({ after: to - 1 }), 'start');
    });
  }

  /** Shows the newest page, if it is not loaded. */
  loadEnd(): Promise<void> {
    return this.once(async () => {
      const { to } = loadedRange(this.list.peek());
      if (to < this.list.peek().total) this.replace(await this.fetch({}));
    });
  }

  /** Makes sure that an entry is loaded. Returns its position; undefined if the entry does not exist. */
  async reach(wanted: Wanted): Promise<number | undefined> {
    await this.request;
    const loaded = positionOf(this.list.peek().entries, wanted);
    if (loaded !== undefined) return loaded;
    await this.once(async () => {
      const page = await this.find(wanted);
      if (page !== undefined) this.replace(page);
    });
    return positionOf(this.list.peek().entries, wanted);
  }

  /** Takes entries that the server sent by itself. */
  receive(entries: readonly ConversationEntry[], total: number): void {
    const before = this.list.peek();
    if (!this.isLoaded.peek()) return;
    const { to } = loadedRange(before);
    this.list.value = withEntries(before, entries, total, this.isFollowing ? 'start' : 'end');
    this.arrived.value += turnsFrom(entries, Math.max(to, before.total));
    if (this.isFollowing && loadedRange(this.list.peek()).to < this.list.peek().total) void this.loadNewer();
  }

  toggle(id: string, isOpen: boolean): void {
    if (this.open.peek().has(id) === isOpen) return;
    const changed = new Set(this.open.peek());
    if (isOpen) changed.add(id);
    else changed.delete(id);
    this.open.value = changed;
  }

  private async find(wanted: Wanted): Promise<ConversationPage | undefined> {
    if (wanted.turn === undefined && wanted.call === undefined) return undefined;
    // There are at least as many entries before a turn as turns.
    let after = Math.max(-1, Number.parseInt(wanted.turn ?? '0', 10) - 3);
    for (let step = 0; step < maxSteps; step++) {
      const page = await this.fetch({ after });
      if (positionOf(page.entries, wanted) !== undefined) return page;
      const last = page.entries.at(-1);
      if (last === undefined || last.position + 1 >= page.total) return undefined;
      after = last.position;
    }
    return undefined;
  }

  private fetch(where: { readonly before?: number; readonly after?: number }): Promise<ConversationPage> {
    return api().get<ConversationPage>(agentPath(this.run, 'entries', { agent: this.path, limit: pageSize, ...where }));
  }

  private replace(page: ConversationPage): void {
    batch(() => {
      this.list.value = withEntries(emptyList, page.entries, page.total, 'start');
      this.speaking.value = page.speaking;
      this.prompt.value ??= page.prompt;
      this.isLoaded.value = true;
    });
  }

  private take(page: ConversationPage, dropAt: 'start' | 'end' = 'start'): void {
    batch(() => {
      this.list.value = withEntries(this.list.peek(), page.entries, page.total, dropAt);
      this.prompt.value ??= page.prompt;
    });
  }

  /** Runs one request at a time; a second one waits for the first. */
  private async once(work: () => Promise<void>): Promise<void> {
    const before = this.request;
    const current = (async () => {
      await before;
      try {
        await work();
        this.error.value = null;
      } catch (error) {
        this.error.value = toError(error);
      }
    })();
    this.request = current;
    await current;
    if (this.request === current) this.request = null;
  }
}

function positionOf(entries: readonly ConversationEntry[], { turn, call }: Wanted): number | undefined {
  const found = entries.find(
    (entry) =>
      entry.kind === 'turn' &&
      (call === undefined ? turnName(entry) === turn : entry.calls.some(({ callId }) => callId === call)),
  );
  return found?.position;
}

const kept = new Map<string, ConversationState>();
const maxKept = 8;

/** The conversation of an agent. The last few are kept. */
export function conversationOf(run: string, path: string): ConversationState {
  const key = `${run}/${path}`;
  const state = kept.get(key) ?? new ConversationState(run, path);
  kept.delete(key);
  kept.set(key, state);
  const oldest = kept.keys().next().value;
  if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest);
  return state;
}
