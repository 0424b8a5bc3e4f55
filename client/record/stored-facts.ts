import { outcomeTokens, type StatusSnapshot } from '../../domain/agent';
import { type AgentFigures, figuresOf, nothingSpent, type Spending, subtractSpending } from '../../domain/budget';
import { ConcurrencyLimit, type Json } from '../../domain/kernel';
import { answerText, isToolCall, totalTokens } from '../../domain/model';
import { checkOutput, isTextOnly } from '../../domain/prompt/output';
import type { BlobRef } from '../../domain/store';
import { effectiveOpening, type LoadedTranscript, type ResolvedEntry } from '../../domain/transcript';
import { readSpilled } from '../../store/blobs';
import { PaidCallReader, type RunSpending } from '../../store/paid-calls';
import { Transcripts } from '../../store/transcript/transcripts';
import type { StoredAgent, StoredRun } from './stored-run';

/** What the store tells about an agent, beyond its place in the run. */
export interface StoredFacts {
  /** Its last status, recorded or derived from its transcript. */
  readonly snapshot: StatusSnapshot;
  /** What the agent consumed by itself, and with its delegations. */
  readonly figures: AgentFigures;
  /** Number of calls by tool name. */
  readonly tools: Readonly<Record<string, number>>;
  /** What it returned; null unless it completed. */
  readonly answer: string | null;
  /** The parsed answer; null unless it completed and its answer has a structure. */
  readonly value: Json;
}

/** Agents whose transcripts are read at the same time. */
const maxConcurrent = 64;

/** Derives facts about the agents of a stored run from their transcripts. Each is read once. */
export class StoredFactsReader {
  private readonly limit = new ConcurrencyLimit(maxConcurrent);
  private readonly known = new Map<string, Promise<StoredFacts>>();
  private spending: Promise<RunSpending | undefined> | undefined;

  constructor(private readonly run: StoredRun) {}

  /** Returns the facts of an agent. */
  of(agent: StoredAgent): Promise<StoredFacts> {
    const known = this.known.get(agent.workflowId);
    if (known !== undefined) return known;
    const facts = this.derive(agent);
    this.known.set(agent.workflowId, facts);
    return facts;
  }

  private async derive(agent: StoredAgent): Promise<StoredFacts> {
    const conversations = await this.limit.run(() => loadConversations(this.run, agent.head));
    const tools = countTools(conversations.flatMap(({ entries }) => entries));
    const answer = await this.answerOf(agent, conversations);
    const value = valueOf(agent, conversations);
    const spending = await (this.spending ??= new PaidCallReader(this.run.store).read());
    const own = spending?.own(agent.workflowId) ?? nothingSpent;
    const all = spending?.withDelegations(agent.workflowId) ?? nothingSpent;
    const figures = { own: figuresOf(own), withDelegations: figuresOf(all) };
    const { record } = agent.ended ?? { record: null };
    const spent = { own, delegated: subtractSpending(all, own) };
    const snapshot = record?.snapshot ?? deriveSnapshot(this.run, agent, conversations, spent);
    return { snapshot, figures, tools, answer, value };
  }

  private async answerOf({ ended }: StoredAgent, conversations: readonly LoadedTranscript[]): Promise<string | null> {
    if (ended?.status !== 'completed') return null;
    if (ended.record !== null)
      return ended.record.answer && (await readSpilled(this.run.store, ended.record.answer, 'answer'));
    const last = conversations.at(-1);
    if (last === undefined) return null;
    const text = answerText(last.entries);
    const checked = last.opening.output === undefined ? undefined : checkOutput(last.opening.output, text);
    return checked?.ok === true ? checked.text : text;
  }
}

/** Parses the last message of an agent again, which its transcript has as the model wrote it. */
function valueOf({ ended }: StoredAgent, conversations: readonly LoadedTranscript[]): Json {
  const last = conversations.at(-1);
  const format = last?.opening.output;
  if (ended?.status !== 'completed' || last === undefined || format === undefined || isTextOnly(format)) return null;
  const checked = checkOutput(format, answerText(last.entries));
  return checked.ok ? checked.value : null;
}

/** Loads the conversations of an agent, oldest first. After each handoff there is another one. Loading verifies them. */
export async function loadConversations(
  { store }: Pick<StoredRun, 'store'>,
  head: BlobRef,
): Promise<LoadedTranscript[]> {
  const found: LoadedTranscript[] = [];
  for (let next: BlobRef | undefined = head; next !== undefined; next = found[0]?.opening.previous) {
    found.unshift(await new Transcripts(store).load(next));
  }
  return found;
}

type Reply = Extract<ResolvedEntry, { kind: 'reply' }>;

function isReply(entry: ResolvedEntry): entry is Reply {
  return entry.kind === 'reply';
}

/** Counts the tool calls whose outcome the model was told. */
function countTools(entries: readonly ResolvedEntry[]): Readonly<Record<string, number>> {
  const names = new Map(
    entries.filter(isReply).flatMap(({ content }) => content.filter(isToolCall).map(({ id, name }) => [id, name])),
  );
  const counts: Record<string, number> = {};
  for (const { callId } of entries.flatMap((entry) => (entry.kind === 'toolResults' ? entry.results : []))) {
    const name = names.get(callId);
    if (name !== undefined) counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

function deriveSnapshot(
  { record: { settings, opened }, store }: StoredRun,
  agent: StoredAgent,
  conversations: readonly LoadedTranscript[],
  { own, delegated }: { readonly own: Spending; readonly delegated: Spending },
): StatusSnapshot {
  const last = conversations.at(-1);
  const model = last === undefined ? settings.model : effectiveOpening(last.opening, last.entries).model;
  const lastReply = last?.entries.filter(isReply).at(-1);
  return {
    runId: store.runId,
    status: agent.ended?.status ?? 'starting',
    turn: own.turns,
    maxTurns: agent.delegation?.maxTurns ?? settings.limits.maxTurns,
    model: model.name,
    usage: own.usage,
    delegatedUsage: delegated.usage,
    delegations: agent.children.length,
    occupancy: lastReply === undefined ? 0 : totalTokens(lastReply.usage),
    window: model.window,
    waitingFor: '',
    storeId: opened.storeId,
    prompt: agent.opened.prompt,
    transcript: agent.head,
    skill: agent.opened.skill ?? null,
    paused: false,
    incidents: [],
    parkedBelow: 0,
    decisions: [],
    handoffs: [],
    spent: own,
    budget: agent.delegation === null ? (settings.budget ?? null) : null,
    injectedTokens: agent.opened.injectedTokens ?? 0,
    activeTokens: activeTokens(conversations),
  };
}

/** Estimated tokens of the tool results, as an agent estimates them. */
function activeTokens(conversations: readonly LoadedTranscript[]): number {
  const entries = conversations.flatMap(({ steps }) => steps.flatMap(({ link }) => link.entries));
  return entries.reduce((sum, entry) => sum + (entry.kind === 'toolResults' ? outcomeTokens(entry.results) : 0), 0);
}
