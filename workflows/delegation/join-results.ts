import { proxyActivities } from '@temporalio/workflow';
import type { AgentActivities, RenderedResults } from '../../activities/interface';
import type { SubagentResult } from '../../domain/delegation/batch';
import type { BlobRef } from '../../domain/store/blob-ref';
import type { ToolCall, ToolResult } from '../../domain/tool/call';
import type { SessionEvent } from '../../domain/tool/event';
import { shortActivityOptions } from '../../temporal-config/activity-options';
import { agentWorkflowId, storeLocation, activityOptions, type Agent } from '../agent/agent';

/** Results rendered by one activity. */
const resultsPerChunk = 50;
/** Share of the context window that the results of a batch may fill, at three bytes per token. */
const shareOfWindow = 0.1;

/** Renders the results of a batch as text for the parent's model. Texts that don't fit become artifacts. */
export async function renderBatchResults(
  agent: Agent,
  call: ToolCall,
  results: readonly SubagentResult[],
): Promise<ToolResult> {
  const { renderResults, finishResults } = proxyActivities<AgentActivities>(
    activityOptions(shortActivityOptions, agent.settings, 'join the results'),
  );
  const events: SessionEvent[] = [];
  let text: BlobRef | null = null;
  for (let from = 0; from < results.length; from += resultsPerChunk) {
    const part: RenderedResults = await renderResults({
      ...storeLocation(agent),
      previous: text,
      from,
      total: results.length,
      results: results.slice(from, from + resultsPerChunk),
      structured: agent.progress.opened.structured,
    });
    text = part.ref;
    events.push(...part.artifacts.map(toEvent));
  }
  if (text === null) throw new TypeError('A batch without delegations is refused before it starts');
  const joined = await finishResults({
    ...storeLocation(agent),
    ref: text,
    outcomes: results.map(({ success }) => success),
    maxBytes: Math.floor(agent.settings.model.window * shareOfWindow * 3),
    name: `${call.id}/results.md`,
  });
  events.push(...joined.artifacts.map(toEvent));
  return { outcome: { callId: call.id, isError: false, content: { ref: joined.ref } }, changes: [], events };
}

function toEvent({ name, ref }: RenderedResults['artifacts'][number]): SessionEvent {
  return { type: 'artifactWritten', value: { name, ref: { ...ref }, by: agentWorkflowId() } };
}
