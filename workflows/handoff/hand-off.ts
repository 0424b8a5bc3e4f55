import { proxyActivities } from '@temporalio/workflow';
import type { AgentActivities } from '../../activities/interface';
import {
  afterHandoff,
  dropOversizedOutcomes,
  type HandoffCheck,
  handoffRepairRequest,
  handoffRequest,
  handoffSettings,
} from '../../domain/handoff';
import { artifactsSlice, filesSlice, notesSlice, recordedDecisions, recordsOf } from '../../domain/session';
import { shortActivityOptions } from '../../temporal-config/activity-options';
import { activityOptions, type Agent, storeLocation } from '../agent/agent';
import { type ContinuesAsNew, endExecution } from '../agent/agent-lifecycle';
import { runTurn } from '../agent/run-turn';
import { workflowNow } from '../clock';
import { failure } from '../failures';
import { withOperatorRetry } from '../operator/operator-retry';
import { artifactWritten, recordEvents } from '../session/change-session';
import { captureSlices } from '../session/transfer-session';

/**
 * Hands off a conversation that fills its context window. In one last call the agent writes down what a new
 * conversation needs, and a new execution with the same workflow id continues from there. Session and artifacts stay;
 * the conversation is gone.
 */
export async function handOff(agent: Agent): Promise<ContinuesAsNew> {
  let allowed = handoffSettings(agent.settings).max;
  // Notes for the next call, such as a violation of the output format. The new conversation would not see them
  // otherwise.
  const { notes } = agent.progress;
  const accepted = await withOperatorRetry(agent, { name: 'handoff' }, async () => {
    const made = agent.progress.handoffs.length;
    if (made >= allowed) {
      // An operator's retry allows one more handoff.
      allowed += 1;
      throw failure('Agent.HandoffLimit', `The context window is full again after ${made} handoffs.`);
    }
    return writeHandoff(agent, notes);
  });
  await recordEvents(agent, [artifactWritten(accepted.artifact)]);
  agent.progress = afterHandoff(agent.progress, accepted, workflowNow());
  return endExecution(agent);
}

/** Has the model write the handoff, and once more if it is invalid. */
async function writeHandoff(agent: Agent, notes: readonly string[]): Promise<Extract<HandoffCheck, { ok: true }>> {
  agent.progress = dropOversizedOutcomes(agent.progress, agent.settings);
  const { session } = agent.progress;
  const request = handoffRequest({
    decisions: recordedDecisions(session),
    artifacts: recordsOf(session, artifactsSlice).map(({ name }) => name),
  });
  const first = await attempt(agent, [...notes, request]);
  if (first.ok) return first;
  const second = await attempt(agent, [handoffRepairRequest(first.violation)]);
  if (second.ok) return second;
  throw failure('Handoff.Invalid', second.violation);
}

async function attempt(agent: Agent, notes: readonly string[]): Promise<HandoffCheck> {
  agent.progress = { ...agent.progress, notes };
  const reply = await runTurn(agent, { closing: true });
  const { takeHandoff } = proxyActivities<AgentActivities>(
    activityOptions(shortActivityOptions, agent.settings, 'take the handoff'),
  );
  const { progress } = agent;
  return takeHandoff({
    ...storeLocation(agent),
    opened: { opening: progress.opened.opening },
    head: progress.head,
    text: reply.text,
    session: await captureSlices(agent, [notesSlice.name, artifactsSlice.name, filesSlice.name]),
    number: progress.handoffs.length + 1,
    // In an isolated session names can't clash. In a shared one, other agents may hand off at the same time.
    ...(agent.shared === null || agent.delegationId === null ? {} : { folder: agent.delegationId }),
  });
}
