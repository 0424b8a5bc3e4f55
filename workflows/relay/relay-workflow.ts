import { proxyActivities } from '@temporalio/workflow';
import type { AgentActivities } from '../../activities/interface';
import { assumedSettings, rootMemo } from '../../domain/agent';
import {
  countItems,
  initialRelayState,
  type OpenRelayInput,
  type RelayProgress,
  type RelayResult,
  type RelayStart,
} from '../../domain/relay';
import type { SessionSchema } from '../../domain/session';
import { shortActivityOptions } from '../../temporal-config/activity-options';
import { activityOptions } from '../agent/agent';
import { beginAgent } from '../agent/agent-lifecycle';
import { continueRoot, readyRoot, rootPlace, runResult } from '../agent/run-workflow';
import { rootRunId } from '../workflow-id';
import { runRelaySteps } from './relay-steps';

/** Signature of `relayWorkflow`. */
export type RelayWorkflow = (start: RelayStart) => Promise<RelayResult>;

/**
 * Runs a relay: a chain of skills. Each step is a delegation with its own context, and only what it writes reaches the
 * next step. The root delegates, and can be paused and limited, like an agent, but calls no model.
 */
export async function runRelay(schema: SessionSchema, { resume, reached, ...sent }: RelayStart): Promise<RelayResult> {
  const input = { ...sent, runId: rootRunId(sent.runId) };
  const progress = reached ?? { state: initialRelayState(input.goal), answer: { text: '' } };
  let settings = assumedSettings(input);
  const life = beginAgent(schema, { ...settings, ...rootPlace }, resume);
  const end = await life.until(async () => {
    if (life.resumed !== undefined) return runRelaySteps(life.resumed, input.relay, progress);
    const root = await openRoot(schema, input);
    settings = root.settings;
    return runRelaySteps(life.open(root.progress, settings), input.relay, progress);
  });
  if (end.kind === 'continuesAsNew') {
    return continueRoot<RelayWorkflow>({ ...input, ...settings, resume: life.carryOver(), reached: { ...progress } });
  }
  return { ...runResult(life.agent, end.text), relay: input.relay.name, steps: stepsOf(input, progress) };
}

async function openRoot(schema: SessionSchema, input: OpenRelayInput): ReturnType<typeof readyRoot> {
  const { openRelay } = proxyActivities<AgentActivities>(
    activityOptions(shortActivityOptions, input, 'check the relay'),
  );
  return readyRoot(schema, input, await openRelay(input), { memo: rootMemo(input, input.relay.name) });
}

function stepsOf({ relay }: OpenRelayInput, { state }: RelayProgress): RelayResult['steps'] {
  return relay.steps.map(({ name }) => {
    return { name, rounds: state.rounds[name] ?? 0, items: countItems(state.outputs[name]) };
  });
}
