import { log } from '@temporalio/activity';
import { z } from 'zod';
import type { CallModelInput, OperatorChanges, ReplacedModel } from '../../domain/agent';
import { canonicalJson, uncheckedList } from '../../domain/kernel';
import {
  answerText,
  type CallRefused,
  droppedByChange,
  isToolCall,
  isUnreadableInput,
  type ModelReply,
  stepAfterReply,
  toMessages,
  type ToolCallBlock,
  whyNotRun,
} from '../../domain/model';
import type { RunStore } from '../../domain/store';
import {
  dispatchSubagentsName,
  failedOutcome,
  maxToolCallsPerReply,
  renderDispatchPayload,
  type ToolCall,
  type ToolOutcome,
} from '../../domain/tool';
import {
  type ChangeEntry,
  effectiveOpening,
  type LoadedTranscript,
  type ReplyEntry,
  type ResolvedEntry,
  type ToolResultsEntry,
  type TranscriptEntry,
} from '../../domain/transcript';
import { readSpilled, spillText } from '../../store/blobs';
import { putFinalRecord } from '../../store/run-record';
import { Transcripts } from '../../store/transcript/transcripts';
import { callingAgent } from '../attempt';
import { type ModelAnswer, type ModelRequest, runStoreFor, type SharedDependencies } from '../dependencies';
import { whileHeartbeating } from '../heartbeat';
import { AnswerJournal } from './answer-journal';
import { recordReplaced, requireNotReplaced } from './replaced-models';
import { checkCallLimits, requestReply } from './request-reply';

/**
 * Makes one model call, which is paid for once. The raw answer is journaled as soon as it arrives, and everything else
 * is derived from it. Every later attempt at the same call finds it there and repeats only the derivation: a retry after
 * a crash or a full disk, a second attempt that overtook a stalled one, or a turn repeated after a reset.
 */
export async function callModel(
  { store, model, transcriptCache, briefings }: SharedDependencies,
  input: CallModelInput,
): Promise<ModelReply | CallRefused> {
  const runStore = runStoreFor(store, input);
  return whileHeartbeating(async (signal) => {
    const journal = new AnswerJournal(runStore, input);
    const paid = await journal.find(0);
    const transcripts = new Transcripts(runStore, transcriptCache);
    const transcript = await transcripts.load(input.head);
    const newEntries = await entriesFrom(runStore, transcript, input);
    const entries = [...transcript.entries, ...(await transcripts.resolve(newEntries))];
    const request = await requestFor(briefings, runStore, transcript, { entries, closing: input.closing });
    if (paid === undefined) {
      if (request.settings.fallback !== undefined) await requireNotReplaced(runStore, input, request.settings.name);
      const refusal = input.admission && (await checkCallLimits(model, request, input.admission, signal));
      if (refusal !== undefined) return refusal;
      // An answer that could not be stored should not be paid for.
      await store.checkWritable();
    }
    const answer = await requestReply({ model, journal, signal }, request, paid);
    if (input.insteadOf !== undefined) await recordReplaced(runStore, input);
    const appended = await transcripts.append(transcript, [...newEntries, replyEntry(answer)]);
    const reply = await summarize(runStore, appended, answer, input.closing);
    if (input.closing === undefined && stepAfterReply(reply) === 'answer')
      await putFinalRecord(runStore, input.identity, {
        agent: callingAgent(),
        head: reply.head,
        at: new Date().toISOString(),
      });
    return reply;
  });
}

/** Builds a request from the whole conversation, with the effective model and tools. */
async function requestFor(
  briefings: SharedDependencies['briefings'],
  store: RunStore,
  { opening }: LoadedTranscript,
  { entries, closing }: { entries: readonly ResolvedEntry[]; closing: true | undefined },
): Promise<ModelRequest> {
  const { model: settings, ...effective } = effectiveOpening(opening, entries);
  const briefing = await briefings.load(store, effective);
  const { output } = opening;
  return {
    settings,
    ...briefing,
    messages: toMessages(entries, settings),
    // A handoff has its own format.
    ...(closing === true ? { toolChoice: 'none' } : output === undefined ? {} : { output }),
  };
}

/** Returns the entries that this call adds to the conversation. */
async function entriesFrom(
  store: RunStore,
  transcript: LoadedTranscript,
  { outcomes, notes, steering = [], changes, insteadOf }: CallModelInput,
): Promise<TranscriptEntry[]> {
  const results = await Promise.all(expectedResults(transcript, outcomes).map((outcome) => toResult(store, outcome)));
  return [
    ...(results.length === 0 ? [] : [{ kind: 'toolResults' as const, results }]),
    ...notes.map((text) => ({ kind: 'note' as const, from: 'engine' as const, text })),
    ...steering.map((text) => ({ kind: 'note' as const, from: 'operator' as const, text })),
    ...(changes === undefined ? [] : [changeEntry(transcript, changes, insteadOf?.at(-1))]),
  ];
}

function changeEntry(
  { entries }: LoadedTranscript,
  { model, toolList }: OperatorChanges,
  insteadOf: ReplacedModel | undefined,
): ChangeEntry {
  const dropped = droppedByChange(entries, model);
  if (dropped.length > 0)
    log.info('The model of another provider continues the conversation', { model: model?.name, dropped });
  return {
    kind: 'change',
    ...(model === undefined ? {} : { model }),
    ...(toolList === undefined ? {} : { tools: toolList }),
    ...(insteadOf === undefined ? {} : { insteadOf }),
    ...(dropped.length === 0 ? {} : { dropped: [...dropped] }),
  };
}

type Result = ToolResultsEntry['results'][number];

async function toResult(store: RunStore, { payload, addendum = '', ...outcome }: ToolOutcome): Promise<Result> {
  if (payload === undefined && addendum === '') return outcome;
  const neededBy = `outcome of ${outcome.callId}`;
  const message = await readSpilled(store, outcome.content, neededBy);
  const value = payload?.value && (await readSpilled(store, payload.value, neededBy));
  const structured = payload === undefined ? '' : `\n\n${renderDispatchPayload(payload, message, value)}`;
  return { ...outcome, content: await spillText(store, `${message}${structured}${addendum}`) };
}

/** Outcomes of the last reply's tool calls. The provider requires a result for each, whether it was run or not. */
function expectedResults({ entries }: LoadedTranscript, outcomes: readonly ToolOutcome[]): readonly ToolOutcome[] {
  const last = entries.at(-1);
  if (last?.kind !== 'reply') return [];
  const ids = last.content.filter(isToolCall).map(({ id }) => id);
  return ids.map((id) => outcomes.find(({ callId }) => callId === id) ?? failedOutcome(id, whyNotRun(last, id)));
}

function replyEntry({ content, stopReason, usage, model }: ModelAnswer): ReplyEntry {
  return { kind: 'reply', content: [...content], stopReason, usage, model };
}

/** Builds the part of a reply that workflow code needs. It is small enough for history, however long the reply is. */
async function summarize(
  store: RunStore,
  { head, entries }: LoadedTranscript,
  answer: ModelAnswer,
  closing: true | undefined,
): Promise<ModelReply> {
  const calls = answer.content.filter(isToolCall).filter(isRunnable(answer)).slice(0, maxToolCallsPerReply);
  // A handoff does not continue an earlier reply that was cut off.
  const text = answerText(closing === true ? entries.slice(-1) : entries);
  return {
    head,
    stopReason: answer.stopReason,
    toolCalls: await Promise.all(calls.map((call) => toToolCall(store, call))),
    text: await spillText(store, text),
    characters: text.length,
    usage: answer.usage,
    ...(answer.lastUsage === undefined ? {} : { lastUsage: answer.lastUsage }),
  };
}

/** A call that was cut off at the output limit is passed on, because the workflow explains it to the model. */
function isRunnable({ stopReason }: ModelAnswer): (call: ToolCallBlock) => boolean {
  return ({ input }) => stopReason === 'outputLimit' || !isUnreadableInput(input);
}

async function toToolCall(store: RunStore, { id, name, input }: ToolCallBlock): Promise<ToolCall> {
  const items = name === dispatchSubagentsName ? delegationsIn(input) : undefined;
  return {
    id,
    name,
    input: await spillText(store, canonicalJson(input)),
    ...(items === undefined ? {} : { items }),
  };
}

const callWithDelegations = z.object({ delegations: uncheckedList() });

/** Number of delegations in a batch. The workflow needs it before anything else, to assign their ordinals. */
function delegationsIn(input: unknown): number {
  return callWithDelegations.safeParse(input).data?.delegations.length ?? 0;
}
