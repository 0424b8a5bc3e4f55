import { dispatchSubagentsName } from '../domain/dispatch/dispatch-subagents';
import { jsonDigest } from '../domain/hash';
import { canonicalJson } from '../domain/json';
import { answerText } from '../domain/model/answer-text';
import { toMessages } from '../domain/model/messages';
import type { ModelReply } from '../domain/model/reply';
import type { RunStore } from '../domain/store/store';
import { failedOutcome, maxToolCallsPerReply, type ToolCall, type ToolOutcome } from '../domain/tool/call';
import type { ReplyEntry, ToolResultsEntry, TranscriptEntry } from '../domain/transcript/entry';
import type { LoadedTranscript } from '../domain/transcript/loaded';
import { readSpilled, spillText } from '../store/spill';
import { Transcripts } from '../store/transcripts';
import { storeAt, type SharedDependencies } from './dependencies';
import { whileHeartbeating } from './heartbeat';
import type { CallModelInput } from './interface';
import type { ModelAnswer } from './ports';

/**
 * One model call, paid for once: the answer is journaled as soon as it is there, and every later attempt at the same
 * call (a retry after a crash, a second attempt that overtook a stalled one, a replayed turn after a reset) gets it back.
 */
export async function callModel(
  { store, model, transcriptCache, briefings }: SharedDependencies,
  input: CallModelInput,
): Promise<ModelReply> {
  const runStore = storeAt(store, input);
  return whileHeartbeating(async (signal) => {
    const key = journalKey(input);
    const paid = await runStore.find(key);
    if (paid !== undefined) return parseReply(paid);

    const transcripts = new Transcripts(runStore, transcriptCache);
    const transcript = await transcripts.load(input.head);
    const told = await entriesFrom(runStore, transcript, input);
    const spoken = [...transcript.entries, ...(await transcripts.resolve(told))];
    const briefing = await briefings.load(runStore, transcript.opening);
    const request = { settings: transcript.opening.model, ...briefing, messages: toMessages(spoken) };
    const answer = await model.reply(request, signal);

    const appended = await transcripts.append(transcript, [...told, replyEntry(answer)]);
    const reply = await summarize(runStore, appended, answer);
    return parseReply(await runStore.putIfAbsent(key, Buffer.from(canonicalJson(reply))));
  });
}

function journalKey({ identity, head, outcomes, notes }: CallModelInput): string {
  const { execution, call, try: attempt } = identity;
  return `call/${execution}/${call}/${attempt}/${jsonDigest({ head, outcomes, notes })}`;
}

function parseReply(bytes: Uint8Array): ModelReply {
  return JSON.parse(Buffer.from(bytes).toString('utf8')) as ModelReply;
}

/** What the model is told in this call that it has not been told before. */
async function entriesFrom(
  store: RunStore,
  transcript: LoadedTranscript,
  { outcomes, notes }: CallModelInput,
): Promise<TranscriptEntry[]> {
  const asked = askedFor(transcript).map((id) => outcomes.find(({ callId }) => callId === id) ?? notRun(id));
  const results = await Promise.all(asked.map((outcome) => toResult(store, outcome)));
  return [
    ...(results.length === 0 ? [] : [{ kind: 'toolResults' as const, results }]),
    ...notes.map((text) => ({ kind: 'note' as const, from: 'engine' as const, text })),
  ];
}

type Result = ToolResultsEntry['results'][number];

async function toResult(store: RunStore, { addendum, ...outcome }: ToolOutcome): Promise<Result> {
  if (addendum === undefined) return outcome;
  const text = await readSpilled(store, outcome.content, `outcome of ${outcome.callId}`);
  return { ...outcome, content: await spillText(store, `${text}${addendum}`) };
}

/** The provider wants a result for each call of the last reply, in whichever number the model made them. */
function askedFor({ entries }: LoadedTranscript): string[] {
  const last = entries.at(-1);
  if (last?.kind !== 'reply') return [];
  return last.content.flatMap((block) => (block.type === 'tool_use' ? [String(block['id'])] : []));
}

function notRun(callId: string): ToolOutcome {
  return failedOutcome(callId, `Not run: at most ${maxToolCallsPerReply} tool calls are run in one reply. Ask again.`);
}

function replyEntry({ content, stopReason, usage, model }: ModelAnswer): ReplyEntry {
  return { kind: 'reply', content: content as ReplyEntry['content'], stopReason, usage, model };
}

/** What workflow code needs to go on, small enough for history whatever the model said. */
async function summarize(
  store: RunStore,
  { head, entries }: LoadedTranscript,
  answer: ModelAnswer,
): Promise<ModelReply> {
  const calls = answer.content.filter(isToolUse).slice(0, maxToolCallsPerReply);
  const text = answerText(entries);
  return {
    head,
    stopReason: answer.stopReason,
    toolCalls: await Promise.all(calls.map((call) => toToolCall(store, call))),
    text: await spillText(store, text),
    characters: text.length,
    usage: answer.usage,
  };
}

interface ToolUse {
  readonly type: string;
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

function isToolUse(block: { readonly type: string }): block is ToolUse {
  return block.type === 'tool_use';
}

async function toToolCall(store: RunStore, { id, name, input }: ToolUse): Promise<ToolCall> {
  const items = name === dispatchSubagentsName ? delegationsIn(input) : undefined;
  return {
    id,
    name,
    input: await spillText(store, canonicalJson(input ?? {})),
    ...(items === undefined ? {} : { items }),
  };
}

/** Each delegation needs an ordinal before anything else happens, so their number is told with the call. */
function delegationsIn(input: unknown): number {
  const { delegations } = Object(input) as { delegations?: unknown };
  return Array.isArray(delegations) ? delegations.length : 0;
}
