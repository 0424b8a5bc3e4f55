import { z } from 'zod';
import { passRef, receiveRef } from '../../domain/agent';
import {
  type BatchItem,
  delegationIdentity,
  type DelegationParameters,
  DispatchRefusedError,
  type PreparedBatch,
} from '../../domain/delegation';
import { type PrepareBatchInput, refusalMessage, toRefusal } from '../../domain/delegation/prepare';
import { checkValue, delegationId } from '../../domain/kernel';
import { type ComposedPrompt, PromptError, type PromptRecord, wrapPromptFromBytes } from '../../domain/prompt';
import { type ResponseFormat, responseFormatOf } from '../../domain/prompt/output';
import { type BlobRef, mediaTypes, type RunStore } from '../../domain/store';
import { dispatchSubagentsName, isDispatchTool, type ToolDescription, toolDescriptionSchema } from '../../domain/tool';
import { getJson, putJson, readSpilled, sha256 } from '../../store/blobs';
import { getPromptRecord, loadPrompt, refOfComposed } from '../../store/prompts';
import { putBatchRecord } from '../../store/run-record';
import { openAgent } from '../agent/open-agent';
import { isNative, runStoreFor, type SharedDependencies } from '../dependencies';
import { checkBatchDispatch, logComposed, logRefusal } from './check-dispatch';
import { withTranscriptAt } from './delegating-agent';
import { requireRoomToWork } from './room-to-work';

/** Checks a call of `dispatch_subagents` and wraps the prompts of some of its delegations. Starts nothing. */
export async function prepareBatch(dependencies: SharedDependencies, input: PrepareBatchInput): Promise<PreparedBatch> {
  const store = runStoreFor(dependencies.store, input);
  const { opened } = input.parent;
  const payload: unknown = JSON.parse(
    await readSpilled(store, input.call.input, `input of tool call ${input.call.id}`),
  );
  const own = await loadPrompt(store, opened.prompt, 'prompt of the delegating agent');
  if (own.length === 0)
    return { ok: false, message: 'No rendered parent prompt is available, so nothing can be delegated.' };
  const tools = await getJson(store, opened.toolList, toolDescriptionSchema.array(), 'tools of the delegating agent');
  const ownRecord = await getPromptRecord(store, opened.prompt, 'prompt of the delegating agent');
  let delegations: readonly DelegationParameters[];
  try {
    delegations = checkBatchDispatch(payload, input);
  } catch (error) {
    return refuseBatch(error, payload, input, { tools, record: ownRecord });
  }

  const { transcriptCache } = dependencies;
  const embedded = { record: ownRecord, prompt: own };
  const { record, prompt } = await withTranscriptAt(store, transcriptCache, embedded, input.parent.head);
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

/** The parent's format for `Response Format`, which can describe only JSON. The parent's prompt itself describes XML. */
function describedOutput({ output }: PromptRecord): ResponseFormat | null {
  return output?.json === undefined ? null : responseFormatOf(output.json);
}

const batchSchema = z.object({ delegations: z.array(z.unknown()) });

/** Logs the refusal of a whole batch, and returns it for the model. Rethrows any other error. */
function refuseBatch(
  error: unknown,
  payload: unknown,
  input: PrepareBatchInput,
  { tools, record }: Pick<BatchPreparation, 'tools' | 'record'>,
): PreparedBatch {
  const field = error instanceof DispatchRefusedError ? error.field : '';
  const index = Number(/^delegations\[(\d+)\]/.exec(field)?.[1] ?? 0);
  // The id of the invalid delegation or, if there is none, of the payload in the place of the first one.
  const item = field.includes('[') ? checkValue(batchSchema, payload).data?.delegations[index] : payload;
  const refusal = toRefusal(error, idOf(input, tools, item, index), { tool: dispatchSubagentsName });
  if (refusal === undefined) throw error;
  logRefusal(refusal, keyOf(record));
  return { ok: false, message: refusalMessage(refusal) };
}

function idOf(
  { parent, runId, firstOrdinal }: PrepareBatchInput,
  tools: readonly ToolDescription[],
  payload: unknown,
  index: number,
): string {
  const { opened, delegationId: parentDelegationId } = parent;
  const facts = { parentPrompt: opened.prompt.hash, payload, tools, parentDelegationId, runId };
  return delegationId(delegationIdentity({ ...facts, ordinal: firstOrdinal + index }));
}

function keyOf({ ns, key }: PromptRecord): string {
  return `${ns}/${key}`;
}

/** Prepares one delegation. If it can't be prepared, its siblings still can. */
async function prepareItem(
  family: BatchPreparation,
  delegation: DelegationParameters,
  index: number,
): Promise<BatchItem> {
  const id = idOf(family.input, family.tools, delegation, index);
  try {
    return await wrapAndOpen(family, delegation, id);
  } catch (error) {
    const refusal = toRefusal(error, id, { tool: dispatchSubagentsName, index });
    if (refusal === undefined) throw error;
    logRefusal(refusal, keyOf(family.record));
    return { ok: false, ...refusal };
  }
}

async function wrapAndOpen(family: BatchPreparation, delegation: DelegationParameters, id: string): Promise<BatchItem> {
  const { input, record, prompt } = family;
  const { parent, settings } = input;
  const mayDelegate = delegation.may_delegate_further === 'yes' && parent.depth + 1 < settings.limits.maxDepth;
  const result = wrapPromptFromBytes(
    { bytes: prompt, hash: record.prompt.hash },
    {
      parent: { output: describedOutput(record), sections: record.sections },
      delegation: {
        reason: delegation.reason,
        expectedResult: delegation.expected_result,
        mayDelegateFurther: mayDelegate,
        recapLines: delegation.recap_lines,
      },
      adapter: {
        nativeStructuredOutput:
          record.output !== null &&
          isNative(family.dependencies.model, record.output, settings.model.name, ...(settings.model.fallback ?? [])),
      },
      delegationId: id,
    },
    { sha256 },
  );
  if (!result.ok) {
    const { type, field, reason, remediation } = result.error;
    throw new PromptError(type, field, reason, remediation);
  }
  logComposed(result.log, keyOf(record));
  return open(family, delegation, result, mayDelegate);
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
      const { ok: _ok, mayDelegate = false, ...ready } = item;
      const prompt = receiveRef(item.prompt, mediaTypes.markdown);
      const opening = receiveRef(item.opening, mediaTypes.json);
      return [{ ...ready, prompt, opening, mayDelegate, ordinal: first + index, payload: { ...chunk[index] } }];
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
        parent: record.prompt,
      },
    },
    tools: { shown: mayDelegate ? family.tools : family.lastLevel, deferred: [] },
    toolList: mayDelegate ? parent.toolList : family.lastLevelTools,
    pinned: parent,
    model: input.settings.model,
  });
  await requireRoomToWork(dependencies, store, opened, input.settings);
  const { prompt, opening } = opened;
  return {
    ok: true,
    delegationId: wrapped.delegationId,
    prompt: passRef(prompt, mediaTypes.markdown),
    opening: passRef(opening, mediaTypes.json),
    ...(mayDelegate ? { mayDelegate } : {}),
    headline: delegation.reason.slice(0, 80),
  };
}
