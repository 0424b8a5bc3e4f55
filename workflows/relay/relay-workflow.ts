import { continueAsNew, proxyActivities } from '@temporalio/workflow';
import type { AgentActivities } from '../../activities/interface';
import type { AgentProgress } from '../../domain/agent';
import {
  countItems,
  initialRelayState,
  type RelayInput,
  type RelayProgress,
  type RelayResult,
  type RelayStart,
} from '../../domain/relay';
import type { SessionSchema } from '../../domain/session';
import { shortActivityOptions } from '../../temporal-config/activity-options';
import { activityOptions } from '../agent/agent';
import { beginAgent } from '../agent/agent-lifecycle';
import { initialRootProgress, rootPlace, runResult } from '../agent/run-workflow';
import { requireRootId } from '../workflow-id';
import { runRelaySteps } from './relay-steps';

/** Signature of `relayWorkflow`. */
export type RelayWorkflow = (start: RelayStart) => Promise<RelayResult>;

/**
 * Runs a relay: a chain of skills. Each step is a delegation with its own context, and only what it writes reaches the
 * next step. The root delegates, and can be paused and limited, like an agent, but calls no model.
 */
export async function runRelay(schema: SessionSchema, { resume, reached, ...input }: RelayStart): Promise<RelayResult> {
  requireRootId(input.runId);
  const progress = reached ?? { state: initialRelayState(input.goal), answer: { text: '' } };
  const life = beginAgent(schema, { ...input, ...rootPlace }, resume);
  const end = await life.until(async () => {
    const agent = life.resumed ?? life.open(await openRoot(schema, input));
    return runRelaySteps(agent, input.relay, progress);
  });
  if (end.kind === 'continuesAsNew') {
    return continueAsNew<RelayWorkflow>({ ...input, resume: life.carryOver(), reached: { ...progress } });
  }
  return { ...runResult(life.agent, end.text), relay: input.relay.name, steps: stepsOf(input, progress) };
}

async function openRoot(schema: SessionSchema, input: RelayInput): Promise<AgentProgress> {
  const { openRelay } = proxyActivities<AgentActivities>(
    activityOptions(shortActivityOptions, input, 'check the relay'),
  );
  return initialRootProgress(schema, input, await openRelay(input));
}

function stepsOf({ relay }: RelayInput, { state }: RelayProgress): RelayResult['steps'] {
  return relay.steps.map(({ name }) => {
    return { name, rounds: state.rounds[name] ?? 0, items: countItems(state.outputs[name]) };
  });
}
