import { CancellationScope, proxyActivities } from '@temporalio/workflow';
import type { AgentActivities } from '../../activities/interface';
import { type OpenedAgent, receiveRef } from '../../domain/agent';
import {
  type BatchItem,
  batchPrompt,
  formatFailure,
  formatRefusal,
  type PreparedBatch,
  type ReadyItem,
  roomForArtifacts,
  type SubagentResult,
} from '../../domain/delegation';
import type { PrepareBatchInput, RenderedResults } from '../../domain/delegation/prepare';
import { type BlobRef, mediaTypes } from '../../domain/store';
import {
  failedResult,
  isDispatchTool,
  type SessionEvent,
  type ToolCall,
  type ToolResult,
  withoutTools,
} from '../../domain/tool';
import { shortActivityOptions } from '../../temporal-config/activity-options';
import { activityOptions, type Agent, settingsInput, storeLocation } from '../agent/agent';
import { afterCancellation, rootCause } from '../failures';
import { withOperatorRetry } from '../operator/operator-retry';
import { artifactWritten } from '../session/change-session';
import type { SharedSessionHandle } from '../session/shared-session';
import type { CapturedSession } from '../session/transfer-session';
import { delegatingAgent } from './prepare-delegations';
import { type ChildToRun, runChild } from './run-child';

/** State that the batches of one turn share. */
export interface BatchContext {
  readonly session: CapturedSession;
  readonly host: Promise<SharedSessionHandle>;
  /** Number of the turn's delegations that wait for their share of the budget. */
  readonly queue: { length: number };
}

/** Delegations prepared by one activity: as many as fit into one payload. */
const itemsPerChunk = 40;

/**
 * Carries out one call of `dispatch_subagents`: runs one child per delegation, all on one shared session, and returns
 * the results in the order of the delegations.
 */
export async function dispatchSubagents(
  agent: Agent,
  call: ToolCall,
  firstOrdinal: number,
  batch: BatchContext,
): Promise<ToolResult> {
  const running: Promise<SubagentResult>[] = [];
  try {
    const refusal = await startAll(agent, call, firstOrdinal, batch, running);
    if (refusal !== undefined) return failedResult(call.id, refusal);
  } finally {
    // Even after a failure, no child may outlive this call.
    await Promise.allSettled(running);
  }
  const results = await Promise.all(running);
  return withOperatorRetry(agent, { name: 'joining the results' }, () => renderBatchResults(agent, call, results));
}

/** Starts the delegations as the concurrency limit allows. Returns a message for the model if they are refused. */
async function startAll(
  agent: Agent,
  call: ToolCall,
  firstOrdinal: number,
  batch: BatchContext,
  running: Promise<SubagentResult>[],
): Promise<string | undefined> {
  const { problem } = batch.session;
  const common = { firstOrdinal, count: itemsPerChunk, ...(problem === undefined ? {} : { snapshotProblem: problem }) };
  for (let from = 0, total = 1; from < total; from += itemsPerChunk) {
    const chunk = await prepare(agent, call, { ...common, from });
    if (!chunk.ok) {
      batch.queue.length -= (call.items ?? 0) - running.length;
      return chunk.message;
    }
    total = chunk.total;
    for (const [index, item] of chunk.items.entries()) {
      const admission = agent.semaphore.acquire();
      if (admission !== undefined) await admission;
      const notStarted = batch.queue.length--;
      const ordinal = firstOrdinal + from + index;
      const result = runItem(agent, item, chunk.lastLevelTools, { ...batch, notStarted, ordinal }).finally(() => {
        agent.semaphore.release();
      });
      // Awaited by the caller. Until then a rejection must not count as unhandled.
      result.catch(() => undefined);
      running.push(result);
    }
  }
  return undefined;
}

function prepare(
  agent: Agent,
  call: ToolCall,
  part: Pick<PrepareBatchInput, 'firstOrdinal' | 'from' | 'count' | 'snapshotProblem'>,
): Promise<PreparedBatch> {
  const summary = part.from === 0 ? 'wrap the prompts' : `wrap the prompts from delegation ${part.from + 1} on`;
  const { prepareBatch } = proxyActivities<AgentActivities>(
    activityOptions(shortActivityOptions, agent.settings, summary),
  );
  const parent = delegatingAgent(agent);
  const settings = settingsInput(agent);
  return withOperatorRetry(agent, { name: 'wrapping the prompts of delegations' }, () =>
    prepareBatch({ ...storeLocation(agent), call, parent, settings, ...part }),
  );
}

/**
 * Runs one delegation of a batch. A failed one is a result like any other; this rejects only if this agent is
 * cancelled.
 */
async function runItem(
  agent: Agent,
  item: BatchItem,
  lastLevelTools: BlobRef,
  batch: BatchContext & { readonly notStarted: number; readonly ordinal: number },
): Promise<SubagentResult> {
  const { delegationId } = item;
  if (!item.ok)
    return { delegationId, success: false, output: { text: '' }, error: `${item.type}: ${formatRefusal(item)}` };
  try {
    const sharedSession = await batch.host;
    const child = { ...childOf(agent, item, lastLevelTools), ordinal: batch.ordinal, sharedSession };
    const from = { snapshot: await batch.session.transfer, workspace: batch.session.workspace };
    const result = await runChild(agent, child, from, batch.notStarted);
    return { delegationId, success: true, output: result.value ?? result.summary, error: null };
  } catch (error) {
    if (CancellationScope.current().consideredCancelled) throw afterCancellation(error);
    return { delegationId, success: false, output: { text: '' }, error: formatFailure(rootCause(error)).slice(0, 200) };
  }
}

function childOf(
  { progress }: Agent,
  item: ReadyItem,
  lastLevelTools: BlobRef,
): Omit<ChildToRun, 'ordinal' | 'sharedSession'> {
  // It does not have the parent's skill, but it answers in the format that the parent's prompt requires.
  const { skill: _skill, injectedTokens: _injected, ...opened } = progress.opened;
  const tools = withoutTools(opened.tools, isDispatchTool);
  const child: OpenedAgent = {
    ...opened,
    prompt: receiveRef(item.prompt, mediaTypes.markdown),
    opening: receiveRef(item.opening, mediaTypes.json),
    ...(item.mayDelegate === true ? {} : { tools, toolList: lastLevelTools }),
  };
  return {
    delegationId: item.delegationId,
    opened: child,
    ...batchPrompt,
    expectedArtifacts: [],
    headline: item.headline,
  };
}

/** Results rendered by one activity. */
const resultsPerChunk = 50;
/** Share of the context window that the results of a batch may fill, at three bytes per token. */
const shareOfWindow = 0.1;

/** Upper estimate of the bytes that the session records of an output's artifact take. */
const bytesPerArtifact = 400;

/** Renders the results of a batch as JSON for the parent's model. Texts that don't fit become artifacts. */
async function renderBatchResults(
  agent: Agent,
  call: ToolCall,
  results: readonly SubagentResult[],
): Promise<ToolResult> {
  const { renderResults, finishResults } = proxyActivities<AgentActivities>(
    activityOptions(shortActivityOptions, agent.settings, 'join the results'),
  );
  const events: SessionEvent[] = [];
  const maxArtifacts = Math.floor(roomForArtifacts(agent.progress.session) / bytesPerArtifact);
  let text: BlobRef | null = null;
  for (let from = 0; from < results.length; from += resultsPerChunk) {
    const part: RenderedResults = await renderResults({
      ...storeLocation(agent),
      previous: text,
      results: results.slice(from, from + resultsPerChunk),
      maxArtifacts: Math.max(0, maxArtifacts - events.length),
    });
    text = part.ref;
    events.push(...part.artifacts.map(artifactWritten));
  }
  if (text === null) throw new TypeError('A batch without delegations is refused before it starts');
  const joined = await finishResults({
    ...storeLocation(agent),
    ref: text,
    outcomes: results.map(({ success }) => success),
    maxBytes: Math.floor(agent.settings.model.window * shareOfWindow * 3),
    name: `${call.id}/results.json`,
  });
  events.push(...joined.artifacts.map(artifactWritten));
  return { outcome: { callId: call.id, isError: false, content: { ref: joined.ref } }, changes: [], events };
}
