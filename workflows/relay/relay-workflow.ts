import { proxyActivities } from '@temporalio/workflow';
import type { AgentActivities } from '../../activities/interface';
import { type AgentSettings, assumedSettings, mergeControls, rootMemo } from '../../domain/agent';
import {
  countItems,
  initialRelayState,
  type OpenRelayInput,
  type RelayDefinition,
  type RelayProgress,
  type RelayResult,
  type RelayStart,
  type RelayStep,
} from '../../domain/relay';
import type { SessionSchema } from '../../domain/session';
import { shortActivityOptions } from '../../temporal-config/activity-options';
import { activityOptions } from '../agent/agent';
import { beginAgent } from '../agent/agent-lifecycle';
import { continueRoot, type ReadyRoot, readyRoot, rootPlace, runResult } from '../agent/run-workflow';
import { failure } from '../failures';
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
  let { relay } = input;
  let settings = assumedSettings(input);
  const life = beginAgent(schema, { ...withControls(settings, relay), ...rootPlace }, resume);
  const end = await life.until(async () => {
    if (life.resumed !== undefined) return runRelaySteps(life.resumed, pinned(relay), progress);
    const { root, definition } = await openRoot(schema, input);
    [settings, relay] = [root.settings, definition];
    return runRelaySteps(life.open(root.progress, withControls(settings, definition)), definition, progress);
  });
  if (end.kind === 'continuesAsNew') {
    const next = { ...input, ...settings, relay, resume: life.carryOver(), reached: { ...progress } };
    return continueRoot<RelayWorkflow>(next);
  }
  const { name, steps } = pinned(relay);
  return { ...runResult(life.agent, end.text), relay: name, steps: steps.map((step) => stepResult(step, progress)) };
}

/** Adds the relay's controls to those of the run. Their tools are pinned when the root is opened. */
function withControls(settings: AgentSettings, relay: RelayDefinition | string): AgentSettings {
  const controls = typeof relay === 'string' ? undefined : relay.delegation;
  return controls === undefined ? settings : { ...settings, delegation: mergeControls(controls, settings.delegation) };
}

/** A relay that is started by name gets its definition from the worker that opens it. */
async function openRoot(
  schema: SessionSchema,
  input: OpenRelayInput,
): Promise<{ readonly root: ReadyRoot; readonly definition: RelayDefinition }> {
  const { openRelay } = proxyActivities<AgentActivities>(
    activityOptions(shortActivityOptions, input, 'check the relay'),
  );
  const { relay, ...opened } = await openRelay(input);
  const definition = relay ?? pinned(input.relay);
  return { root: await readyRoot(schema, input, opened, { memo: rootMemo(input, definition.name) }), definition };
}

function pinned(relay: RelayDefinition | string): RelayDefinition {
  if (typeof relay !== 'string') return relay;
  throw failure('Input.Invalid', `relay: "${relay}" has no definition. Start the relay again.`);
}

function stepResult({ name }: RelayStep, { state }: RelayProgress): RelayResult['steps'][number] {
  return { name, rounds: state.rounds[name] ?? 0, items: countItems(state.outputs[name]) };
}
