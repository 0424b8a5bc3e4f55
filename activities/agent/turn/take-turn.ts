import type { RunTurnInput, Turn } from '../../../domain/agent';
import { canonicalJson } from '../../../domain/kernel';
import { type CallRefused, isToolCall, isUnreadableInput, stepAfterReply } from '../../../domain/model';
import { mediaTypes, type RunStore } from '../../../domain/store';
import { maxToolCallsPerReply } from '../../../domain/tool';
import { treeMediaType } from '../../../domain/workspace';
import type { LoadedTranscript, ReplyEntry } from '../../../domain/transcript';
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
  const paid = await journal.find(0);
  if (paid === undefined && input.paidOnly !== undefined) return unpaid;
  const transcripts = new Transcripts(store, transcriptCache);
  const before = await transcripts.load({ ...input.head, mediaType: mediaTypes.json });
  const added = await newEntries(store, before, input);
  const entries = [...before.entries, ...(await transcripts.resolve(added))];
  const request = await requestFor(dependencies, store, before.opening, { entries, closing: input.closing });
  const refusal = paid === undefined ? await refuse(dependencies, input, request, signal) : undefined;
  if (refusal !== undefined) return refusal;

  const listen = (): ModelRequest['onPart'] => live.begin(input.identity.call + 1);
  const answer = await requestReply({ model, journal, signal, listen }, request, paid);
  if (input.insteadOf !== undefined) await recordReplaced(store, input);
  const after = await transcripts.append(before, [...added, replyEntry(answer)]);

  live.recorded(after.head);

  const reply = { stopReason: answer.stopReason, toolCalls: requestedCalls(answer) };
  const turnJournal = new TurnJournal(store, { identity: input.identity, head: after.head.hash });
  const isRepeated = paid !== undefined;
  const repliedTurn = { ...reply, tools: request.tools, journal: turnJournal, isRepeated };
  const record = await runInside(dependencies, input, repliedTurn, { signal, steps });
  const root = await foldedRoot(dependencies, store, input);
  await recordFinal(store, input, reply, after);
  const { toolCalls } = reply;
  const { elapsedMs: ms } = journal;
  const ended = { request, answer, after, toolCalls, record, closing: input.closing, ms, ...root };
  const turn = await applyInside(dependencies, input, record, await toTurn(store, ended), signal);
  return { turn, request, isRepeated };
}

const unpaid: CallRefused = { notAsked: 'unpaid', message: 'The reply is not in the journal' };

/** Returns why the model must not be called, before anything is paid for; undefined if it may be. */
async function refuse(
  { store, model }: SharedDependencies,
  input: RunTurnInput,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<CallRefused | undefined> {
  const { fallback, name } = request.settings;
  if (fallback !== undefined) await requireNotReplaced(runStoreFor(store, input), input, name);
  const refusal = input.admission && (await checkCallLimits(model, request, input.admission, signal));
  // An answer that could not be stored should not be paid for.
  if (refusal === undefined) await store.checkWritable();
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
