import { ContinueAsNew, continueAsNew, isCancellation, proxyActivities } from '@temporalio/workflow';
import type { AgentActivities } from '../activities/interface';
import { settingsOf } from '../domain/agent/settings';
import type { RelayInput } from '../domain/relay/input';
import type { RelayResult } from '../domain/relay/result';
import { firstState, type RelayState } from '../domain/relay/state';
import { firstProgress, type AgentProgress } from '../domain/run/progress';
import { emptySession, type SessionSchema } from '../domain/session';
import type { SpilledText } from '../domain/store/spilled';
import { preparing } from '../temporal-config/activity-options';
import type { Agent } from './agent';
import { AgentView } from './agent-view';
import { agentFailure } from './failures';
import { runSteps, type RelayAtWork } from './relay-steps';
import { mount } from './run';

/** A relay's input and, after continue-as-new, how far it had come. */
export type RelayStart = RelayInput & {
  readonly resume?: AgentProgress;
  readonly reached?: { readonly state: RelayState; readonly answer: SpilledText };
};

export type RelayWorkflow = (start: RelayStart) => Promise<RelayResult>;

/** A chain of skills: each step is a delegation with a context of its own, and only what it leaves reaches the next. */
export async function runRelay(schema: SessionSchema, start: RelayStart): Promise<RelayResult> {
  // Anyone may start a workflow with anything: what isn't an object must reach the check in `openRelay`, not throw here.
  const { resume, reached, ...input } = Object(start) as RelayStart;
  let relay: RelayAtWork | undefined;
  const view = new AgentView(input, () => relay?.agent.progress);
  try {
    const progress = resume ?? (await open(schema, input));
    const { state, answer } = reached ?? { state: firstState(input.goal), answer: { text: '' } };
    relay = { definition: input.relay, agent: rootOf(schema, input, progress, view, () => relay), state, answer };
    if (resume === undefined) view.index('running', 0);
    await runSteps(relay);
    view.close('completed');
    return resultOf(relay);
  } catch (error) {
    if (error instanceof ContinueAsNew) throw error;
    // Without its root the input was never accepted, so nothing can be said of it.
    if (relay !== undefined) view.close(isCancellation(error) ? 'cancelled' : 'failed');
    throw isCancellation(error) ? error : agentFailure(error, relay?.agent.progress);
  }
}

async function open(schema: SessionSchema, input: RelayInput): Promise<AgentProgress> {
  const { openRelay } = proxyActivities<AgentActivities>({ ...preparing, summary: 'check the relay' });
  const opened = await openRelay(input);
  return firstProgress(opened, emptySession(schema), await mount(input, opened));
}

/** The root of a relay delegates like an agent, but asks no model. */
function rootOf(
  schema: SessionSchema,
  input: RelayInput,
  progress: AgentProgress,
  view: AgentView,
  relay: () => RelayAtWork | undefined,
): Agent {
  const agent: Agent = {
    settings: settingsOf(input),
    schema,
    delegationId: null,
    depth: 0,
    shared: null,
    progress,
    report: (status, waitingFor) => {
      view.show(status, waitingFor);
    },
    startOver: () => {
      const { state, answer } = relay() ?? { state: firstState(input.goal), answer: { text: '' } };
      return continueAsNew<RelayWorkflow>({ ...input, resume: agent.progress, reached: { state, answer } });
    },
  };
  return agent;
}

function resultOf({ definition, state, answer, agent }: RelayAtWork): RelayResult {
  const { calls, usage, delegatedUsage, head } = agent.progress;
  const steps = definition.steps.map(({ name }) => {
    return { name, rounds: state.rounds[name] ?? 0, items: state.outputs[name]?.length ?? 0 };
  });
  return { answer, turns: calls, usage, delegatedUsage, transcript: head, relay: definition.name, steps };
}
