import { z } from 'zod';
import { jsonDigest, truncateText, visibleText } from '../../domain/kernel';
import type { RunStore } from '../../domain/store';
import {
  askOperatorName,
  type CallDecision,
  callDecisionSchema,
  type FindDecisionInput,
  type FoundDecision,
  type KeepDecisionInput,
  ruleId,
} from '../../domain/tool';
import { matchingRules } from '../../domain/tool/approval';
import { parseStored, readSpilled } from '../../store/blobs';
import { callingAgent } from '../attempt';
import { runStoreFor, type SharedDependencies } from '../dependencies';

/** Maximum characters of the arguments of a question. */
const maxQuestionInput = 12_000;
/** Maximum characters of the arguments in the message for an operator. */
const maxPreview = 300;

/** Matches a call with approval rules, and looks up what an operator decided about it before. */
export async function findDecision(
  { store }: SharedDependencies,
  { call, rules, ...asked }: FindDecisionInput,
): Promise<FoundDecision> {
  const runStore = runStoreFor(store, asked);
  const text = await readSpilled(runStore, call.input, `input of tool call ${call.id}`);
  const matched = matchingRules(rules, call.name, text).map(ruleId);
  const isQuestion = call.name === askOperatorName;
  return {
    matched,
    preview: truncateText(visibleText(text), maxPreview),
    ...(isQuestion && text.length <= maxQuestionInput ? { input: text } : {}),
    earlier: isQuestion || matched.length > 0 ? await earlierDecision(runStore, keyOf({ call, ...asked })) : null,
  };
}

/** Keeps a decision. If there is one already, that one stays: the first writer of a journal entry wins. */
export async function keepDecision({ store }: SharedDependencies, input: KeepDecisionInput): Promise<void> {
  const { decision, call } = input;
  const record: DecisionRecord = {
    decision,
    agent: callingAgent(),
    call: call.id,
    tool: call.name,
    at: new Date().toISOString(),
  };
  await runStoreFor(store, input).putIfAbsent(keyOf(input), Buffer.from(JSON.stringify(record)));
}

const recordSchema = z.object({
  decision: callDecisionSchema,
  /** Workflow id of the agent. */
  agent: z.string(),
  call: z.string(),
  tool: z.string(),
  /** Time of the decision, ISO 8601. */
  at: z.string(),
});
type DecisionRecord = z.infer<typeof recordSchema>;

async function earlierDecision(store: RunStore, key: string): Promise<CallDecision | null> {
  const bytes = await store.find(key);
  return bytes === undefined ? null : parseStored(store, key, bytes, recordSchema, 'decision about a call').decision;
}

function keyOf({ call, execution, turn }: Pick<FindDecisionInput, 'call' | 'execution' | 'turn'>): string {
  const { id, name, input } = call;
  return `decision/${execution}/${turn}/${jsonDigest({ id, name, input })}`;
}
