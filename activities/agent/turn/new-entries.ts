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
import type { RunStore } from '../../../domain/store';
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
  const results = await Promise.all(expectedResults(transcript, all).map((outcome) => toResult(store, outcome)));
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
