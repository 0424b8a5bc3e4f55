import { z } from 'zod';
import {
  aboutInput,
  callDigest,
  compactUsage,
  contentBytes,
  type LeftCall,
  type RanCall,
  type ReasonOutside,
  type Turn,
} from '../../../domain/agent';
import { checkValue, uncheckedList } from '../../../domain/kernel';
import { answerText, parseModelName, stepAfterReply } from '../../../domain/model';
import type { RunStore, SpilledText } from '../../../domain/store';
import { dispatchSubagentsName } from '../../../domain/tool';
import type { LoadedTranscript } from '../../../domain/transcript';
import { spilledForm, spillText } from '../../../store/blobs';
import type { ModelAnswer, ModelRequest } from '../../dependencies';
import { checkAnswer } from '../check-answer';
import type { RequestedCall } from './run-inside';
import type { InsideCall, TurnRecord } from '../../../store/turn-journal';

/** A turn that has ended, and everything that its result is derived from. */
interface EndedTurn {
  readonly request: ModelRequest;
  readonly answer: ModelAnswer;
  /** The transcript, which ends with the answer. */
  readonly after: LoadedTranscript;
  readonly toolCalls: readonly RequestedCall[];
  readonly record: TurnRecord;
  readonly closing: true | undefined;
  /** Time that the model took, in milliseconds. */
  readonly ms: number;
  readonly root?: Turn['root'];
}

/** Builds the part of a turn that workflow code needs. It is small enough for history, however long the reply is. */
export async function toTurn(store: RunStore, turn: EndedTurn): Promise<Turn> {
  const { request, answer, after, toolCalls, record, ms, root } = turn;
  const { hash, bytes } = after.head;
  const { stopReason, usage, lastUsage } = answer;
  const ran = record.ran.flatMap((call) => ranCall(toolCalls[call.index], call));
  const left = record.left.map(({ index, why }) => leftCall(store, toolCalls[index], index, why));
  const calls = (await Promise.all(left)).flat();
  return {
    // First, because the Web UI shows the beginning of a result.
    ...(ran.length === 0 ? {} : { ran }),
    ...(calls.length === 0 ? {} : { calls }),
    head: { hash, bytes },
    stopReason,
    usage: compactUsage(usage),
    ...(lastUsage === undefined ? {} : { lastUsage: compactUsage(lastUsage) }),
    ...responseModel(request, answer),
    ...(await answerIn(store, turn)),
    ...(root === undefined ? {} : { root }),
    ms,
  };
}

function ranCall(call: RequestedCall | undefined, { result, ms }: InsideCall): RanCall[] {
  if (call === undefined) return [];
  const { outcome, changes, events, seen } = result;
  return [
    {
      id: call.id,
      name: call.name,
      about: aboutInput(call.text),
      ...(outcome.isError ? { isError: true } : {}),
      bytes: contentBytes(outcome.content),
      digest: callDigest(call, { ...outcome, content: inHistory(outcome.content) }),
      ...(changes.length === 0 ? {} : { changes }),
      ...(events.length === 0 ? {} : { events }),
      ...(seen === undefined ? {} : { seen }),
      ms,
    },
  ];
}

/** Returns a text as `executeTool` would: the digest of a call must not depend on where it ran. */
function inHistory(content: SpilledText): SpilledText {
  return 'text' in content ? spilledForm(content.text) : content;
}

async function leftCall(
  store: RunStore,
  call: RequestedCall | undefined,
  index: number,
  why: ReasonOutside,
): Promise<LeftCall[]> {
  if (call === undefined) return [];
  const { id, name, text } = call;
  const items = name === dispatchSubagentsName ? { items: delegationsIn(JSON.parse(text)) } : {};
  return [{ id, name, input: await spillText(store, text), ...items, index, why }];
}

const callWithDelegations = z.object({ delegations: uncheckedList() });

/** Number of delegations in a batch. The workflow needs it before anything else, to assign their ordinals. */
function delegationsIn(input: unknown): number {
  return checkValue(callWithDelegations, input).data?.delegations.length ?? 0;
}

/** Omitted in the usual case, because history has one per turn. */
function responseModel({ settings }: ModelRequest, { model }: ModelAnswer): Pick<Turn, 'model'> {
  return model === settings.name || model === parseModelName(settings.name).model ? {} : { model };
}

/** The text of an answer or a handoff. An answer that has to have a format is checked. */
async function answerIn(
  store: RunStore,
  { answer, after, toolCalls, closing }: EndedTurn,
): Promise<Pick<Turn, 'text' | 'characters' | 'checked'>> {
  const { output } = after.opening;
  const isAnswer = stepAfterReply({ stopReason: answer.stopReason, toolCalls }) === 'answer';
  if (!isAnswer && closing === undefined) return {};
  // A handoff does not continue an earlier reply that was cut off.
  const text = answerText(closing === true ? after.entries.slice(-1) : after.entries);
  const checked = output === undefined || closing === true ? undefined : await checkAnswer(store, output, text);
  if (checked !== undefined && 'text' in checked) return { checked };
  return {
    text: await spillText(store, text),
    characters: text.length,
    ...(checked === undefined ? {} : { checked }),
  };
}
