import { log } from '@temporalio/activity';
import {
  type BatchItem,
  delegationIdentity,
  type DelegationParameters,
  dispatchSubagentsSchema,
  type PreparedBatch,
} from '../../domain/delegation';
import type { PrepareBatchInput } from '../../domain/delegation/prepare';
import { delegationId, firstIssue } from '../../domain/kernel';
import { type ComposedPrompt, type PromptRecord, wrapPromptFromBytes } from '../../domain/prompt';
import type { BlobRef, RunStore } from '../../domain/store';
import { isDispatchTool, type ToolDescription, toolDescriptionSchema } from '../../domain/tool';
import { getJson, putJson, readSpilled, sha256 } from '../../store/blobs';
import { getPromptRecord, loadPrompt, refOfComposed } from '../../store/prompts';
import { putBatchRecord } from '../../store/run-record';
import { openAgent } from '../agent/open-agent';
import { runStoreFor, type SharedDependencies } from '../dependencies';

/** Checks a call of `dispatch_subagents` and wraps the prompts of some of its delegations. Starts nothing. */
export async function prepareBatch(dependencies: SharedDependencies, input: PrepareBatchInput): Promise<PreparedBatch> {
  const store = runStoreFor(dependencies.store, input);
  const { opened } = input.parent;
  const payload: unknown = JSON.parse(
    await readSpilled(store, input.call.input, `input of tool call ${input.call.id}`),
  );
  const delegations = checked(payload, input);
  if (typeof delegations === 'string')
    return { ok: false, message: `ToolValidationError: ${delegations} Nothing was started.` };
  const prompt = await loadPrompt(store, opened.prompt, 'prompt of the delegating agent');
  if (prompt.length === 0)
    return { ok: false, message: 'No rendered parent prompt is available, so nothing can be delegated.' };

  const tools = await getJson(store, opened.toolList, toolDescriptionSchema.array(), 'tools of the delegating agent');
  const record = await getPromptRecord(store, opened.prompt, 'prompt of the delegating agent');
  const lastLevel = tools.filter(({ name }) => !isDispatchTool(name));
  // Stored once for the whole batch, because storing existing content still costs a read and a sync.
  const lastLevelTools = await putJson(store, lastLevel);
  const family: BatchPreparation = { dependencies, store, input, prompt, tools, lastLevel, lastLevelTools, record };
  const chunk = delegations.slice(input.from, input.from + input.count);
  const items = await Promise.all(
    chunk.map((delegation, index) => prepareItem(family, delegation, input.from + index)),
  );
  await recordItems(family, chunk, items);
  return { ok: true, total: delegations.length, items, lastLevelTools };
}

/** Values that all delegations of a batch share. */
interface BatchPreparation {
  readonly dependencies: SharedDependencies;
  readonly store: RunStore;
  readonly input: PrepareBatchInput;
  readonly prompt: Uint8Array;
  readonly tools: readonly ToolDescription[];
  /** Tools of delegations that may not delegate further. */
  readonly lastLevel: readonly ToolDescription[];
  /** Ref to `lastLevel`. */
  readonly lastLevelTools: BlobRef;
  readonly record: PromptRecord;
}

/** Returns the delegations, or a refusal for the model with field and remedy. */
function checked(
  payload: unknown,
  { parent, settings, firstOrdinal }: PrepareBatchInput,
): readonly DelegationParameters[] | string {
  const parsed = dispatchSubagentsSchema.safeParse(payload);
  if (!parsed.success) {
    const { field, reason } = firstIssue(parsed.error);
    return `${field}: ${reason}. Correct it and call the tool again.`;
  }
  const { delegations } = parsed.data;
  const { maxDepth, maxChildren } = settings.limits;
  if (parent.depth >= maxDepth)
    return `depth: this agent is at delegation depth ${parent.depth}, and the maximum is ${maxDepth}. Do the work yourself.`;
  const left = maxChildren - firstOrdinal;
  if (delegations.length > left)
    return `delegations: ${delegations.length} requested, but this agent may make only ${Math.max(0, left)} more. Request fewer.`;
  return delegations;
}

async function prepareItem(
  family: BatchPreparation,
  delegation: DelegationParameters,
  index: number,
): Promise<BatchItem> {
  const { input, record, prompt } = family;
  const { parent, settings } = input;
  const id = idOf(family, delegation, index);
  const mayDelegate = delegation.may_delegate_further === 'yes' && parent.depth + 1 < settings.limits.maxDepth;
  const result = wrapPromptFromBytes(
    { bytes: prompt, hash: parent.opened.prompt.hash },
    {
      parent: { output: record.output, sections: record.sections },
      delegation: {
        reason: delegation.reason,
        expectedResult: delegation.expected_result,
        mayDelegateFurther: mayDelegate,
        recapLines: delegation.recap_lines,
      },
      adapter: { nativeStructuredOutput: family.dependencies.model.nativeStructuredOutput },
      delegationId: id,
    },
    { sha256 },
  );
  log.info(result.ok ? 'Wrapped a prompt' : 'Could not wrap a prompt', { ...result.log });
  if (!result.ok)
    return {
      ok: false,
      delegationId: id,
      error: `${result.error.type}: ${result.error.field}: ${result.error.reason}`.slice(0, 300),
    };
  return open(family, delegation, result, mayDelegate);
}

function idOf({ input, tools }: BatchPreparation, payload: DelegationParameters, index: number): string {
  const { parent, runId, firstOrdinal } = input;
  const { opened, delegationId: parentDelegationId } = parent;
  const facts = { parentPrompt: opened.prompt.hash, payload, tools, parentDelegationId, runId };
  return delegationId(delegationIdentity({ ...facts, ordinal: firstOrdinal + index }));
}

/** Records the delegations that are ready, in one write. */
function recordItems(
  { store, input, lastLevelTools }: BatchPreparation,
  chunk: readonly DelegationParameters[],
  items: readonly BatchItem[],
): Promise<void> {
  const { opened, agentId } = input.parent;
  const first = input.firstOrdinal + input.from;
  return putBatchRecord(store, {
    parent: agentId,
    parentPrompt: opened.prompt.hash,
    tools: opened.toolList,
    at: new Date().toISOString(),
    lastLevelTools,
    items: items.flatMap((item, index) => {
      if (!item.ok) return [];
      const { ok: _ok, ...ready } = item;
      return [{ ...ready, ordinal: first + index, payload: { ...chunk[index] } }];
    }),
  });
}

async function open(
  family: BatchPreparation,
  delegation: DelegationParameters,
  wrapped: ComposedPrompt,
  mayDelegate: boolean,
): Promise<BatchItem> {
  const { store, input, record, dependencies } = family;
  const { opened: parent } = input.parent;
  const opened = await openAgent({
    runStore: store,
    storeId: input.storeId,
    transcriptCache: dependencies.transcriptCache,
    searchAttributes: parent.searchAttributes,
    record: {
      ...record,
      prompt: refOfComposed(wrapped),
      sections: wrapped.record.sections,
      origin: {
        kind: 'composed',
        composition: wrapped.record,
        parent: parent.prompt,
      },
    },
    tools: mayDelegate ? family.tools : family.lastLevel,
    toolList: mayDelegate ? parent.toolList : family.lastLevelTools,
    pinned: parent,
    model: input.settings.model,
  });
  const { prompt, opening } = opened;
  return {
    ok: true,
    delegationId: wrapped.delegationId,
    prompt,
    opening,
    mayDelegate,
    headline: delegation.reason.slice(0, 80),
  };
}
