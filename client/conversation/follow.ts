import { setTimeout as sleep } from 'node:timers/promises';
import { sha256 } from '../../store/blobs';
import type { AgentConversation, Look } from './agent-conversation';
import type { ConversationEntry, PartialReply } from './conversation';

/** What has changed in a conversation. */
export interface ConversationChange {
  /** New entries, and those of which more is known than before, such as the result of a call. */
  readonly entries: readonly ConversationEntry[];
  /** Number of all entries that are known now. */
  readonly total: number;
  /** What the model says at this moment; null when it is not speaking or nobody knows. */
  readonly speaking: PartialReply | null;
}

/** Options of `Conversations.follow`. */
export interface FollowOptions {
  /** Only entries at higher positions. Default: -1, which is before the first one. */
  readonly after?: number;
  /** Give all texts as a whole. Default: false. */
  readonly whole?: boolean;
  /** Ends it without an error. */
  readonly signal?: AbortSignal;
}

/** Time between two looks, in milliseconds. */
const lookEveryMs = 200;

/** Yields changes of a conversation until its agent has ended. */
export async function* followConversation(
  conversation: AgentConversation,
  { after = -1, whole = false, signal }: FollowOptions,
): AsyncGenerator<ConversationChange, void, undefined> {
  const sent = new SentEntries(after + 1, whole ? Number.POSITIVE_INFINITY : undefined);
  let lastSeen: string | undefined;
  let lastSpeaking = 'null';
  while (signal?.aborted !== true) {
    const look = await conversation.look();
    const seen = `${look.record.version} ${look.head?.hash ?? ''}`;
    const entries = seen === lastSeen ? [] : await sent.changed(conversation, look);
    lastSeen = seen;
    const speaking = JSON.stringify(look.speaking);
    if (entries.length > 0 || speaking !== lastSpeaking) yield { entries, total: look.total, speaking: look.speaking };
    lastSpeaking = speaking;
    if (look.record.hasEnded) return;
    await sleep(lookEveryMs, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
  }
}

/** Number of entries at the end that are looked at again, if something about them is not known yet. */
const maxLookedAtAgain = 50;

/** The entries that were sent. */
class SentEntries {
  /** Hashes of what was sent, by position. */
  private readonly sent = new Map<number, string>();
  /** Positions of entries about which something is not known yet. */
  private readonly unfinished = new Set<number>();
  private resets = 0;

  constructor(
    private readonly start: number,
    private readonly maxBytes: number | undefined,
  ) {}

  /** Returns what is new. */
  async changed(conversation: AgentConversation, look: Look): Promise<readonly ConversationEntry[]> {
    const entries = await conversation.entries(look, [this.firstChanged(look), look.total], this.maxBytes);
    return entries.filter((entry) => this.isNew(entry));
  }

  private firstChanged({ placed, total }: Look): number {
    const resets = placed.filter((one) => one.kind === 'mark' && one.step.kind === 'reset').length;
    const wasReset = resets !== this.resets;
    this.resets = resets;
    // A reset takes back turns that were finished.
    if (wasReset) return this.start;
    const open = [...this.unfinished].filter((position) => position >= total - maxLookedAtAgain);
    return Math.min(this.start + this.sent.size, ...open);
  }

  private isNew(entry: ConversationEntry): boolean {
    const hash = sha256(JSON.stringify(entry));
    const isKnown = this.sent.get(entry.position) === hash;
    this.sent.set(entry.position, hash);
    if (isUnfinished(entry)) this.unfinished.add(entry.position);
    else this.unfinished.delete(entry.position);
    return !isKnown;
  }
}

function isUnfinished(entry: ConversationEntry): boolean {
  return (
    entry.kind === 'turn' &&
    (entry.at === null || entry.calls.some(({ result, tookMs }) => result === null || tookMs === null))
  );
}
