import { CancellationScope, proxyActivities } from '@temporalio/workflow';
import type { AgentActivities } from '../activities/interface';
import type { DelegationResult } from '../domain/dispatch/delegation';
import type { PreparedDelegation, ReadyDelegation } from '../domain/dispatch/prepared';
import type { JsonObject } from '../domain/json-value';
import type { RelayStep } from '../domain/relay/definition';
import type { PickedValues } from '../domain/relay/state';
import { preparing } from '../temporal-config/activity-options';
import { locationOf, withTuning, type Agent } from './agent';
import { recordEvents } from './change-session';
import { rootCause } from './failures';
import { runChild } from './run-child';
import type { SessionInTransfer } from './transfer-session';

export interface Item {
  readonly step: RelayStep;
  /** Step, item and round, in a few words. */
  readonly place: string;
  readonly input: JsonObject;
  readonly ordinal: number;
  /** Items of the step that wait for their turn, this one included. */
  readonly notStarted: number;
  /** What the relay uses of the final message. */
  readonly paths: readonly string[];
}

export type RanItem = { readonly delegationId: string } & (
  | { readonly ok: true; readonly result: DelegationResult; readonly values: PickedValues }
  | { readonly ok: false; readonly problem: string }
);

/** One item of a step: composes the prompt of its skill, runs it as a child, and picks from its final message. */
export async function runItem(agent: Agent, item: Item, session: SessionInTransfer): Promise<RanItem> {
  const prepared = await prepare(agent, item, session);
  const { delegationId } = prepared;
  if (!prepared.ok) return { ok: false, delegationId, problem: prepared.message };
  const { promptNs, promptKey } = prepared;
  await recordEvents(agent, [{ type: 'delegationStarted', value: { delegationId, promptNs, promptKey } }]);
  try {
    const result = await run(agent, item, prepared, session);
    const values = await pickFrom(agent, item, prepared, result);
    await recordEvents(agent, [{ type: 'delegationEnded', value: { delegationId, status: 'done' } }]);
    return { ok: true, delegationId, result, values };
  } catch (error) {
    // A child may be cancelled alone; only when this relay is, does the cancellation go on.
    if (CancellationScope.current().consideredCancelled) throw error;
    await recordEvents(agent, [{ type: 'delegationEnded', value: { delegationId, status: 'failed' } }]);
    const { type, message } = rootCause(error);
    return { ok: false, delegationId, problem: `${type ?? 'Delegation.Failed'}: ${message}` };
  }
}

async function prepare(
  agent: Agent,
  { step, input, ordinal }: Item,
  session: SessionInTransfer,
): Promise<PreparedDelegation> {
  const { opened, workspace } = agent.progress;
  const { runId: _, ...settings } = agent.settings;
  const { prepareSkill } = proxyActivities<AgentActivities>(
    withTuning(preparing, agent.settings, `compose ${step.name}`),
  );
  return prepareSkill({
    ...locationOf(agent),
    skill: step.skill,
    input,
    expectedArtifacts: step.artifacts ?? [],
    // `openRelay` has found every skill of the relay: then they are pinned.
    skills: opened.skills ?? opened.prompts,
    prompts: opened.prompts,
    tools: opened.toolList,
    workspace: workspace === null ? null : { root: workspace.root, changes: workspace.changes },
    snapshot: await session.transfer,
    settings,
    depth: agent.depth,
    ordinal,
    searchAttributes: opened.searchAttributes,
  });
}

async function run(
  agent: Agent,
  { place, notStarted }: Item,
  prepared: ReadyDelegation,
  session: SessionInTransfer,
): Promise<DelegationResult> {
  const headline = `${place}: ${prepared.headline}`;
  const child = { ...prepared, headline, sharedSession: null, returnsFiles: true };
  return runChild(agent, child, await session.transfer, notStarted);
}

async function pickFrom(
  agent: Agent,
  { step, paths }: Item,
  { opened }: ReadyDelegation,
  { summary }: DelegationResult,
): Promise<PickedValues> {
  if (paths.length === 0) return {};
  const { pickOutput } = proxyActivities<AgentActivities>(
    withTuning(preparing, agent.settings, `read the output of ${step.name}`),
  );
  return pickOutput({ ...locationOf(agent), text: summary, format: opened.output ?? null, paths });
}
