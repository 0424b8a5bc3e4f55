import { canonicalJson } from '../../domain/kernel';
import { costOf, findPrice, isToolCall, type ModelCatalog, type Price, type ToolCallBlock } from '../../domain/model';
import type { SpilledText } from '../../domain/store';
import type { ReplyEntry, TranscriptEntry } from '../../domain/transcript';
import { type AgentRecord, type CallRecord, type TurnRecord, unknownTurn } from './agent-record';
import type { ChainLinks, KnownLink } from './chain-links';
import type {
  ConversationCall,
  ConversationEntry,
  ConversationMark,
  ConversationMessage,
  ConversationTurn,
} from './conversation';
import type { Placed, PlacedLink, PlacedMark } from './place-links';
import { shownText, type StoredTexts } from './texts';

/** Prices of the run's models. */
export interface RunPrices {
  readonly prices?: Readonly<Record<string, Price>> | undefined;
  readonly models?: ModelCatalog | undefined;
}

/** How entries are built. */
export interface EntryOptions {
  readonly pricing: RunPrices;
  /** Maximum bytes of a text that is given as a whole. */
  readonly maxBytes: number;
}

type Results = ReadonlyMap<string, { readonly content: SpilledText; readonly isError: boolean }>;

/** Builds the entries of an agent's conversation from what is stored about it. */
export class EntryBuilder {
  constructor(
    private readonly links: ChainLinks,
    private readonly texts: StoredTexts,
    private readonly record: AgentRecord,
    private readonly options: EntryOptions,
  ) {}

  /** Returns the entries of one place. `following` is the link after it in its conversation, with the results. */
  async build(placed: Placed, following: KnownLink | undefined): Promise<readonly ConversationEntry[]> {
    if (placed.kind === 'mark') return [this.mark(placed)];
    const { entries } = await this.links.body(placed.link);
    const { startedAt, at } = this.record.turn(placed.link) ?? unknownTurn;
    const built: ConversationEntry[] = [];
    const place = (): number => placed.position + built.length;
    for (const entry of entries) {
      if (entry.kind === 'opening') {
        const { handoffs, startedAt: began } = this.record;
        const handoff = handoffs[placed.handoffs - 1];
        if (entry.previous !== undefined) built.push(handoffMark(place(), placed.handoffs, handoff));
        const from = entry.previous === undefined ? began : (handoff?.at ?? null);
        built.push(this.message(place(), 'opening', from, entry.firstMessage));
      } else if (entry.kind === 'note') built.push(this.message(place(), entry.from, startedAt ?? at, entry.text));
      else if (entry.kind === 'change') built.push(...changeMarks(entry, startedAt ?? at, place()));
      else if (entry.kind === 'reply') built.push(await this.turn(placed, place(), entry, following));
    }
    return built;
  }

  private mark({ position, step: { kind, at, text } }: PlacedMark): ConversationMark {
    return { kind, position, at, text };
  }

  private message(
    position: number,
    from: ConversationMessage['from'],
    at: string | null,
    text: string,
  ): ConversationMessage {
    return { kind: 'message', position, from, at, text: shownText(text, this.options.maxBytes) };
  }

  private async turn(
    placed: PlacedLink,
    position: number,
    reply: ReplyEntry,
    following: KnownLink | undefined,
  ): Promise<ConversationTurn> {
    const { link, turn, model, replaced } = placed;
    const results = following === undefined ? new Map() : resultsIn((await this.links.body(following)).entries);
    const calls = reply.content.filter(isToolCall).map(async (call) => {
      return this.call(call, await this.record.call(link, call), results);
    });
    return {
      ...turnEntry({ position, turn, model }, reply, this.record.turn(link) ?? unknownTurn, this.options),
      ...(replaced === undefined ? {} : { replaced }),
      calls: await Promise.all(calls),
    };
  }

  private async call(
    { id: callId, name: tool, input }: ToolCallBlock,
    recorded: CallRecord | undefined,
    results: Results,
  ): Promise<ConversationCall> {
    const { startedAt = null, tookMs = null, delegations = [] } = recorded ?? {};
    const { maxBytes } = this.options;
    const result = results.get(callId) ?? recorded?.result;
    return {
      callId,
      tool,
      arguments: shownText(argumentsText(input), maxBytes),
      result:
        result === undefined ? null : { ...(await this.texts.show(result.content, maxBytes)), isError: result.isError },
      startedAt,
      tookMs,
      ...(delegations.length === 0 ? {} : { delegations }),
    };
  }
}

/** Returns the arguments of a call as JSON. Those that were cut off are what the model wrote. */
export function argumentsText(input: unknown): string {
  return typeof input === 'string' ? input : canonicalJson(input);
}

/** Returns a turn without its calls. */
function turnEntry(
  { position, turn, model }: { readonly position: number; readonly turn: number; readonly model: string },
  reply: Omit<ReplyEntry, 'kind'>,
  taken: TurnRecord,
  { pricing: { prices, models }, maxBytes }: EntryOptions,
): ConversationTurn {
  const price = findPrice(model, prices, models);
  return {
    kind: 'turn',
    position,
    turn,
    ...taken,
    model: reply.model,
    stopReason: reply.stopReason,
    usage: reply.usage,
    microUsd: price === undefined ? null : costOf(price, reply.usage),
    thinking: textsOf(reply, 'thinking', maxBytes),
    text: textsOf(reply, 'text', maxBytes),
    calls: [],
  };
}

function textsOf(
  { content }: Pick<ReplyEntry, 'content'>,
  type: 'text' | 'thinking',
  maxBytes: number,
): ConversationTurn['text'] {
  return content.flatMap((block) =>
    block.type === type && block.text !== '' ? [shownText(block.text, maxBytes)] : [],
  );
}

function handoffMark(
  position: number,
  number: number,
  recorded: { readonly at: string | null; readonly text: string } | undefined,
): ConversationMark {
  const { at = null, text = `Handoff ${number}: the conversation continues from a summary.` } = recorded ?? {};
  return { kind: 'handoff', position, at, text };
}

function changeMarks(
  { model, tools, insteadOf }: Extract<TranscriptEntry, { kind: 'change' }>,
  at: string | null,
  position: number,
): readonly ConversationMark[] {
  const why = insteadOf === undefined ? '' : ` instead of ${insteadOf.model} (${insteadOf.type}: ${insteadOf.message})`;
  const marks: ConversationMark[] = [];
  if (model !== undefined) marks.push({ kind: 'model', position, at, text: `The model is now ${model.name}${why}.` });
  if (tools !== undefined)
    marks.push({ kind: 'tools', position: position + marks.length, at, text: 'The tools of the agent changed.' });
  return marks;
}

/** Returns the tool results that a link begins with, by call id. */
function resultsIn(entries: readonly TranscriptEntry[]): Results {
  return new Map(
    entries.flatMap((entry) =>
      entry.kind === 'toolResults' ? entry.results.map((result) => [result.callId, result]) : [],
    ),
  );
}
