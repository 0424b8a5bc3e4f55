import type { ConversationEntry, ConversationTurn, PartialReply } from '../../client/conversation/conversation';
import type { Conversations } from '../../client/conversation/conversations';
import { CliError, exitCodes, type LiveText, type Terminal } from '../context';
import { onStopSignal } from '../signals';
import { callLines, type EntryStyle, entryLines, resultLines, speakingLines, turnLines } from './entry-lines';

/** How a transcript is followed. */
interface FollowedTranscript {
  readonly workflowId: string;
  readonly style: EntryStyle;
  readonly json: boolean;
  /** Whether texts are needed as a whole. */
  readonly isWhole: boolean;
}

/** Lines of the text that is arriving. */
const liveRows = 8;

/** Prints entries as they come until the agent has ended. On a screen, what the model is saying is shown below them. */
export async function followTranscript(
  terminal: Terminal,
  conversations: Conversations,
  { workflowId, style, json, isWhole }: FollowedTranscript,
): Promise<void> {
  const stopped = new AbortController();
  const release = onStopSignal(() => {
    stopped.abort();
  });
  const live = json || !terminal.isInteractive ? undefined : await terminal.liveText();
  const printed = json ? new JsonLines(terminal) : new TextLines(terminal, style, live);
  try {
    for await (const change of conversations.follow(workflowId, { whole: isWhole, signal: stopped.signal })) {
      for (const entry of change.entries) printed.entry(entry);
      printed.speaking(change.speaking);
    }
  } finally {
    release();
    live?.close();
  }
  if (stopped.signal.aborted)
    throw new CliError(exitCodes.interrupted, 'Stopped.', `Continue with: baton transcript ${style.target} --follow`);
}

/** Prints every change as JSON. An entry that is printed again replaces the one with the same position. */
class JsonLines {
  constructor(private readonly terminal: Terminal) {}

  entry(entry: ConversationEntry): void {
    this.terminal.printJson(entry);
  }

  speaking(reply: PartialReply | null): void {
    if (reply !== null) this.terminal.printJson({ kind: 'speaking', ...reply });
  }
}

/** Prints what is new about each entry: of a turn first its calls, and each result when it is there. */
class TextLines {
  /** Calls whose result has been printed, by position of their turn. */
  private readonly turns = new Map<number, Set<string>>();

  constructor(
    private readonly terminal: Terminal,
    private readonly style: EntryStyle,
    private readonly live: LiveText | undefined,
  ) {}

  entry(entry: ConversationEntry): void {
    if (entry.kind !== 'turn') this.print(entryLines(entry, this.style));
    else this.turn(entry);
  }

  speaking(reply: PartialReply | null): void {
    this.live?.showLines(reply === null ? [] : speakingLines(reply, this.style, liveRows));
  }

  private turn(turn: ConversationTurn): void {
    const known = this.turns.get(turn.position);
    const ended = turn.calls.filter(({ result }) => result !== null);
    const done = new Set(ended.map(({ callId }) => callId));
    this.turns.set(turn.position, done);
    // The whole turn at once if nothing is missing, as without following.
    if (known === undefined && ended.length === turn.calls.length) {
      this.print(entryLines(turn, this.style));
      return;
    }
    if (known === undefined)
      this.print([...turnLines(turn, this.style), ...turn.calls.flatMap((call) => callLines(turn, call, this.style))]);
    for (const call of ended.filter(({ callId }) => known?.has(callId) !== true)) {
      this.print([...callLines(turn, call, this.style).slice(0, 1), ...resultLines(turn, call, this.style)]);
    }
  }

  private print(lines: ReturnType<typeof entryLines>): void {
    // Standard output and the live text may be the same screen.
    this.live?.showLines([]);
    this.terminal.printLines([...lines, []]);
  }
}
