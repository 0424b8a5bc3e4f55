import type { RunTurnInput, Turn } from '../../../domain/agent';
import { allEnded, canonicalJson } from '../../../domain/kernel';
import { type CallRefused, isToolCall, isUnreadableInput, stepAfterReply } from '../../../domain/model';
import { mediaTypes, type RunStore } from '../../../domain/store';
import { maxToolCallsPerReply } from '../../../domain/tool';
import { treeMediaType } from '../../../domain/workspace';
import type { LoadedTranscript, ReplyEntry, TranscriptEntry } from '../../../domain/transcript';
import { spilledForm } from '../../../store/blobs';
import { putFinalRecord } from '../../../store/run-record';
import { Transcripts } from '../../../store/transcript/transcripts';
import { foldChanges } from '../../../store/workspace/fold';
import { Attempt, callingAgent } from '../../attempt';
import { type ModelAnswer, type ModelRequest, runStoreFor, type SharedDependencies } from '../../dependencies';
import { applyInside } from '../../session/apply-inside';
import { AnswerJournal } from '../answer-journal';
import type { LiveReplyWriter } from './live-reply-writer';
import { newEntries } from './new-entries';
import { recordReplaced, requireNotReplaced } from '../replaced-models';
import { checkCallLimits, requestFor, requestReply } from '../request-reply';
import { type RequestedCall, runInside } from './run-inside';
import { TurnJournal } from '../../../store/turn-journal';
import { toTurn } from './turn-result';
import type { TurnSteps } from './turn-steps';

/** A turn, and the request that its last call of the model made. */
export interface TakenTurn {
  readonly turn: Turn;
  readonly request: ModelRequest;
  /** Whether the reply had been paid for before. */
  readonly isRepeated: boolean;
}

/** Writes of most turns: the answer, the link of the transcript, and the results of the tools or the final message. */
const usualWrites = 3;

/** What a turn needs besides its input. */
export interface TurnContext {
  /** Aborted when the turn must stop. */
  readonly signal: AbortSignal;
  readonly live: LiveReplyWriter;
  readonly steps: TurnSteps;
}

/**
 * Takes one turn: calls the model, and runs those of the requested tools that may run here. The call is paid for once: the
 * raw answer is journaled as soon as it arrives, and everything else is derived from it. Every later attempt at the same
 * turn finds the answer there, and the results of tools that were recorded: a retry after a crash or a full disk, a
 * second attempt that overtook a stalled one, or a turn repeated after a reset.
 */
export async function takeTurn(
  dependencies: SharedDependencies,
  input: RunTurnInput,
  { signal, live, steps }: TurnContext,
): Promise<TakenTurn | CallRefused> {
  const { model, transcriptCache } = dependencies;
  const store = runStoreFor(dependencies.store, input);
  const journal = new AnswerJournal(store, input);
  Attempt.current().beginPart(input.identity.call);
  steps.begin(input.identity.call);
  const looking = journal.find(0);
  if (input.paidOnly !== undefined && (await looking) === undefined) return unpaid;
  // An answer that could not be stored should not be paid for. One that is paid for can be found on a full disk.
  const writable = dependencies.store.checkWritable();
  writable.catch(() => undefined);
  const transcripts = new Transcripts(store, transcriptCache);
  const [paid, { before, added, request }] = await allEnded([looking, prepare(dependencies, transcripts, input)]);
  const refusal = paid === undefined ? await refuse(dependencies, input, request, { signal, writable }) : undefined;
  if (refusal !== undefined) return refusal;

  const listen = (): ModelRequest['onPart'] => {
    // Runs beside the request. The activity returns only when everything is durable.
    dependencies.flush().catch(() => undefined);
    store.expectWrites?.(usualWrites);
    return live.begin(input.identity.call + 1);
  };
  const answer = await requestReply({ model, journal, signal, listen }, request, paid);
  if (input.insteadOf !== undefined) await recordReplaced(store, input);
  const { after, written } = await transcripts.beginAppend(before, [...added, replyEntry(answer)]);

  const reply = { stopReason: answer.stopReason, toolCalls: requestedCalls(answer) };
  const turnJournal = new TurnJournal(store, { identity: input.identity, head: after.head.hash });
  const isRepeated = paid !== undefined;
  const repliedTurn = { ...reply, tools: request.tools, journal: turnJournal, isRepeated };
  const shown = written.then(() => live.recorded(after.head));
  // A store that fails must not have the calls run again at every attempt.
  if (isRepeated) await shown;
  const [record] = await allEnded([runInside(dependencies, input, repliedTurn, { signal, steps }), shown]);
  const root = await foldedRoot(dependencies, store, input);
  await recordFinal(store, input, reply, after);
  const { toolCalls } = reply;
  const ended = { request, answer, after, toolCalls, record, closing: input.closing, ms: journal.elapsedMs, ...root };
  const turn = await applyInside(dependencies, input, record, await toTurn(store, ended), signal);
  return { turn, request, isRepeated };
}

const unpaid: CallRefused = { notAsked: 'unpaid', message: 'The reply is not in the journal' };

/** The conversation before a turn, what the turn adds to it, and the request to the model. */
interface PreparedTurn {
  readonly before: LoadedTranscript;
  readonly added: readonly TranscriptEntry[];
  readonly request: ModelRequest;
}

async function prepare(
  dependencies: SharedDependencies,
  transcripts: Transcripts,
  input: RunTurnInput,
): Promise<PreparedTurn> {
  const store = runStoreFor(dependencies.store, input);
  const before = await transcripts.load({ ...input.head, mediaType: mediaTypes.json });
  const added = await newEntries(store, before, input);
  const entries = [...before.entries, ...(await transcripts.resolve(added))];
  const request = await requestFor(dependencies, store, before.opening, { entries, closing: input.closing });
  return { before, added, request };
}

/** What decides whether a call may be made. */
interface Readiness {
  readonly signal: AbortSignal;
  /** Rejects if nothing can be stored. */
  readonly writable: Promise<void>;
}

/** Returns why the model must not be called, before anything is paid for; undefined if it may be. */
async function refuse(
  { store, model }: SharedDependencies,
  input: RunTurnInput,
  request: ModelRequest,
  { signal, writable }: Readiness,
): Promise<CallRefused | undefined> {
  const { fallback, name } = request.settings;
  if (fallback !== undefined) await requireNotReplaced(runStoreFor(store, input), input, name);
  const refusal = input.admission && (await checkCallLimits(model, request, input.admission, signal));
  // Counting may have taken a while.
  if (refusal === undefined) await (input.admission === undefined ? writable : store.checkWritable());
  return refusal;
}

/** Calls of a reply that can be run. One that was cut off is passed on, because the workflow explains it to the model. */
function requestedCalls({ content, stopReason }: ModelAnswer): readonly RequestedCall[] {
  const calls = content
    .filter(isToolCall)
    .filter(({ input }) => stopReason === 'outputLimit' || !isUnreadableInput(input));
  return calls.slice(0, maxToolCallsPerReply).map(({ id, name, input }) => {
    const text = canonicalJson(input);
    return { id, name, input: spilledForm(text), text };
  });
}

function replyEntry({ content, stopReason, usage, model }: ModelAnswer): ReplyEntry {
  return { kind: 'reply', content: [...content], stopReason, usage, model };
}

/** Records the final message of an agent, for readers of the store. */
async function recordFinal(
  store: RunStore,
  { closing, identity }: RunTurnInput,
  reply: Parameters<typeof stepAfterReply>[0],
  { head }: LoadedTranscript,
): Promise<void> {
  if (closing !== undefined || stepAfterReply(reply) !== 'answer') return;
  await putFinalRecord(store, identity, { agent: callingAgent(), head, at: new Date().toISOString() });
}

/** Number of changed files from which on they are folded into the tree. History would repeat each of them every turn. */
const minFoldedChanges = 4;

/** Folds the changes that the input has into the tree of the workspace. Empty if there are only few. */
async function foldedRoot(
  { treeCache }: SharedDependencies,
  store: RunStore,
  { inside }: RunTurnInput,
): Promise<Pick<Turn, 'root'>> {
  const { root, changes = [] } = inside?.workspace ?? {};
  if (root === undefined || changes.length < minFoldedChanges) return {};
  const { hash, bytes } = await foldChanges(store, { ...root, mediaType: treeMediaType }, changes, treeCache);
  return { root: { hash, bytes } };
}
