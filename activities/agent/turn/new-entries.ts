import { log } from '@temporalio/activity';
import {
  type OperatorChanges,
  type ReplacedModel,
  type RunTurnInput,
  type ToldInput,
  withoutText,
  withVerdict,
} from '../../../domain/agent';
import { droppedByChange, isToolCall, whyNotRun } from '../../../domain/model';
import { inlineResultBytes, inlineTextBytes, mediaTypes, type RunStore } from '../../../domain/store';
import { failedOutcome, renderDispatchPayload, type ToolOutcome } from '../../../domain/tool';
import type { ChangeEntry, LoadedTranscript, ToolResultsEntry, TranscriptEntry } from '../../../domain/transcript';
import { readSpilled, spillText } from '../../../store/blobs';
import { TurnJournal, type TurnRecord } from '../../../store/turn-journal';

/** Returns the entries that a turn adds to the conversation before the reply of the model. */
export async function newEntries(
  store: RunStore,
  transcript: LoadedTranscript,
  input: RunTurnInput,
): Promise<TranscriptEntry[]> {
  const { outcomes = [], notes = [], steering = [], changes } = input.told ?? {};
  const all = [...outcomes, ...(await outcomesInside(store, input))];
  const results = await toResults(store, expectedResults(transcript, all));
  return [
    ...(results.length === 0 ? [] : [{ kind: 'toolResults' as const, results }]),
    ...notes.map((text) => ({ kind: 'note' as const, from: 'engine' as const, text })),
    ...steering.map((text) => ({ kind: 'note' as const, from: 'operator' as const, text })),
    ...(changes === undefined ? [] : [changeEntry(transcript, changes, input.insteadOf?.at(-1))]),
  ];
}

/** Returns the outcomes of the calls that ran inside the turn before, with what the session said to their changes. */
async function outcomesInside(store: RunStore, { head, identity, told = {} }: RunTurnInput): Promise<ToolOutcome[]> {
  const { ran } = told;
  if (ran === undefined) return [];
  const { execution, call } = identity;
  const before = { identity: { execution, call: call - 1, try: ran }, head: head.hash };
  return judgedOutcomes(await new TurnJournal(store, before).require(), told);
}

/** Returns the outcomes of the calls that ran inside a turn as the model receives them. */
export function judgedOutcomes(
  { ran }: TurnRecord,
  { verdicts = {}, withheld = [] }: Pick<ToldInput, 'verdicts' | 'withheld'>,
): ToolOutcome[] {
  return ran.map(({ tool, result: { outcome } }) => {
    const verdict = Object.hasOwn(verdicts, outcome.callId) ? verdicts[outcome.callId] : undefined;
    const judged = withVerdict(tool, outcome, verdict ?? {});
    return withheld.includes(outcome.callId) ? withoutText(judged) : judged;
  });
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

/**
 * Returns outcomes as the transcript has them. The first results are inline as far as there is room, wherever their calls
 * ran and however history has them, because the head of the transcript commits to it.
 */
async function toResults(store: RunStore, outcomes: readonly ToolOutcome[]): Promise<Result[]> {
  const texts = await Promise.all(outcomes.map((outcome) => textOf(store, outcome)));
  let room = inlineResultBytes;
  const limits = texts.map((text) => {
    const bytes = text === undefined ? Number.POSITIVE_INFINITY : Buffer.byteLength(text, 'utf8');
    if (bytes > room) return inlineTextBytes;
    room -= bytes;
    return inlineResultBytes;
  });
  return Promise.all(
    outcomes.map(async ({ callId, isError, content }, index) => {
      const text = texts[index];
      if (text === undefined) return { callId, isError, content };
      return { callId, isError, content: await spillText(store, text, mediaTypes.text, limits[index]) };
    }),
  );
}

/** Returns the text of an outcome with everything that belongs to it; undefined if it is a blob and stays one. */
async function textOf(
  store: RunStore,
  { callId, content, payload, addendum = '' }: ToolOutcome,
): Promise<string | undefined> {
  const isWhole = payload === undefined && addendum === '';
  if (isWhole && 'ref' in content && content.ref.bytes > inlineResultBytes) return undefined;
  const neededBy = `outcome of ${callId}`;
  const message = await readSpilled(store, content, neededBy);
  const value = payload?.value && (await readSpilled(store, payload.value, neededBy));
  const structured = payload === undefined ? '' : `\n\n${renderDispatchPayload(payload, message, value)}`;
  return `${message}${structured}${addendum}`;
}

/** Outcomes of the last reply's tool calls. The provider requires a result for each, whether it was run or not. */
function expectedResults({ entries }: LoadedTranscript, outcomes: readonly ToolOutcome[]): readonly ToolOutcome[] {
  const last = entries.at(-1);
  if (last?.kind !== 'reply') return [];
  const ids = last.content.filter(isToolCall).map(({ id }) => id);
  return ids.map((id) => outcomes.find(({ callId }) => callId === id) ?? failedOutcome(id, whyNotRun(last, id)));
}
