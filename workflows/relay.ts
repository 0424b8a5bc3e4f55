import { continueAsNew, proxyActivities } from '@temporalio/workflow';
import type { AgentActivities } from '../activities/interface';
import { settingsOf } from '../domain/agent/settings';
import type { RelayInput } from '../domain/relay/input';
import type { RelayResult } from '../domain/relay/result';
import { firstState } from '../domain/relay/state';
import { firstProgress, type AgentProgress } from '../domain/run/progress';
import { emptySession, type SessionSchema } from '../domain/session';
import { preparing } from '../temporal-config/activity-options';
import type { Resumed } from './agent';
import { asAgent } from './as-agent';
import { mountWorkspace } from './mount-workspace';
import { runSteps, type RelayAtWork } from './relay-steps';
import { runResult } from './run';

/** A relay's input and, after continue-as-new, how far it had come. */
export type RelayStart = RelayInput & { readonly resume?: Resumed; readonly reached?: Reached };

type Reached = Pick<RelayAtWork, 'state' | 'answer'>;

export type RelayWorkflow = (start: RelayStart) => Promise<RelayResult>;

/** A chain of skills: each step is a delegation with a context of its own, and only what it leaves reaches the next. */
export async function runRelay(schema: SessionSchema, start: RelayStart): Promise<RelayResult> {
  // Anyone may start a workflow with anything: what isn't an object must reach the check in `openRelay`, not throw here.
  const { resume, reached: before, ...input } = Object(start) as RelayStart;
  let reached: Reached = before ?? { state: firstState(input.goal), answer: { text: '' } };
  return asAgent({
    schema,
    settings: settingsOf(input),
    delegationId: null,
    depth: 0,
    sharedSession: null,
    resumed: resume,
    open: () => open(schema, input),
    work: async (agent) => {
      // The root of a relay delegates like an agent, but asks no model.
      const relay: RelayAtWork = { definition: input.relay, agent, ...reached };
      reached = relay;
      await runSteps(relay);
      return resultOf(relay);
    },
    skipped: (agent, placeholder) => {
      return resultOf({ definition: input.relay, agent, ...reached, answer: { text: placeholder } });
    },
    startOver: (resumed) => {
      const { state, answer } = reached;
      return continueAsNew<RelayWorkflow>({ ...input, resume: resumed, reached: { state, answer } });
    },
  });
}

async function open(schema: SessionSchema, input: RelayInput): Promise<AgentProgress> {
  const { openRelay } = proxyActivities<AgentActivities>({ ...preparing, summary: 'check the relay' });
  const opened = await openRelay(input);
  const workspace = await mountWorkspace(input, input.workspace?.root, opened.storeId);
  return firstProgress(opened, emptySession(schema), workspace, input.budget);
}

function resultOf({ definition, state, answer, agent }: RelayAtWork): RelayResult {
  const steps = definition.steps.map(({ name }) => {
    return { name, rounds: state.rounds[name] ?? 0, items: state.outputs[name]?.length ?? 0 };
  });
  return { ...runResult(agent, answer), relay: definition.name, steps };
}
