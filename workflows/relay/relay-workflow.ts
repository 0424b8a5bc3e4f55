import { continueAsNew, proxyActivities } from '@temporalio/workflow';
import type { AgentActivities } from '../../activities/interface';
import { type AgentProgress, settingsOf } from '../../domain/agent';
import { initialRelayState, type RelayInput, type RelayResult } from '../../domain/relay';
import type { SessionSchema } from '../../domain/session';
import type { SpilledText } from '../../domain/store';
import { shortActivityOptions } from '../../temporal-config/activity-options';
import type { Agent, Resumed } from '../agent/agent';
import { beginAgent } from '../agent/agent-lifecycle';
import { initialRootProgress, rootPlace, runResult } from '../agent/run-workflow';
import { type RelayProgress, runRelaySteps } from './relay-steps';

/** A relay's input and, after continue-as-new, its progress. */
export type RelayStart = RelayInput & { readonly resume?: Resumed; readonly reached?: RelayProgress };

/** Signature of `relayWorkflow`. */
export type RelayWorkflow = (start: RelayStart) => Promise<RelayResult>;

/**
 * Runs a relay: a chain of skills. Each step is a delegation with its own context, and only what it writes reaches the
 * next step. The root delegates, and can be paused and limited, like an agent, but calls no model.
 */
export function runRelay(schema: SessionSchema, start: RelayStart): Promise<RelayResult> {
  // A client may start a workflow with any input. If it is not an object, it must fail in `openRelay`'s check, not
  // here.
  const { resume, reached, ...input } = Object(start) as RelayStart;
  const relay: RelayProgress = reached ?? { state: initialRelayState(input.goal), answer: { text: '' } };
  return beginAgent({
    schema,
    settings: settingsOf(input),
    ...rootPlace,
    resumed: resume,
    open: () => open(schema, input),
    work: async (agent) => {
      await runRelaySteps(agent, input.relay, relay);
      return resultOf(agent, input, relay, relay.answer);
    },
    skipped: (agent, placeholder) => resultOf(agent, input, relay, { text: placeholder }),
    startOver: (resumed) => continueAsNew<RelayWorkflow>({ ...input, resume: resumed, reached: { ...relay } }),
  });
}

async function open(schema: SessionSchema, input: RelayInput): Promise<AgentProgress> {
  const { openRelay } = proxyActivities<AgentActivities>({ ...shortActivityOptions, summary: 'check the relay' });
  return initialRootProgress(schema, input, await openRelay(input));
}

function resultOf(agent: Agent, { relay }: RelayInput, { state }: RelayProgress, answer: SpilledText): RelayResult {
  const steps = relay.steps.map(({ name }) => {
    return { name, rounds: state.rounds[name] ?? 0, items: state.outputs[name]?.length ?? 0 };
  });
  return { ...runResult(agent, answer), relay: relay.name, steps };
}
