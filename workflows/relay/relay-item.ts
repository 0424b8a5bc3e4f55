import { CancellationScope, proxyActivities } from '@temporalio/workflow';
import type { AgentActivities } from '../../activities/interface';
import {
  type DelegationResult,
  formatFailure,
  type PreparedDelegation,
  type ReadyDelegation,
} from '../../domain/delegation';
import type { JsonObject } from '../../domain/kernel';
import type { RelayStep, SelectedValues } from '../../domain/relay';
import { shortActivityOptions } from '../../temporal-config/activity-options';
import { activityOptions, type Agent, settingsInput, storeLocation } from '../agent/agent';
import { runChild } from '../delegation/run-child';
import { afterCancellation, rootCause } from '../failures';
import { recordEvents } from '../session/change-session';
import type { CapturedSession } from '../session/transfer-session';
import { workspaceInput } from '../workspace/mount-and-fold';

/** One item of a relay step, which is one delegation. */
export interface RelayItem {
  readonly step: RelayStep;
  /** Short label with step, item and round. */
  readonly place: string;
  readonly input: JsonObject;
  readonly ordinal: number;
  /** Number of the step's items that have not started yet, including this one. */
  readonly notStarted: number;
  /** Paths of the values that the relay uses from the final message. */
  readonly paths: readonly string[];
}

/** Result of one item, or the reason why it failed. */
export type ItemResult = { readonly delegationId: string } & (
  | { readonly ok: true; readonly result: DelegationResult; readonly values: SelectedValues }
  | { readonly ok: false; readonly problem: string }
);

/**
 * Runs one item of a step: composes its skill's prompt, runs it as a child, and selects values from its final message.
 */
export async function runItem(agent: Agent, item: RelayItem, session: CapturedSession): Promise<ItemResult> {
  const prepared = await prepare(agent, item, session);
  const { delegationId } = prepared;
  if (!prepared.ok) return { ok: false, delegationId, problem: prepared.message };
  const { promptNs, promptKey } = prepared;
  await recordEvents(agent, [{ type: 'delegationStarted', value: { delegationId, promptNs, promptKey } }]);
  try {
    const result = await runAsChild(agent, item, prepared, session);
    const values = await selectValues(agent, item, prepared, result);
    await recordEvents(agent, [{ type: 'delegationEnded', value: { delegationId, status: 'done' } }]);
    return { ok: true, delegationId, result, values };
  } catch (error) {
    // A child may be cancelled alone. Rethrow only if this relay is cancelled too.
    if (CancellationScope.current().consideredCancelled) throw afterCancellation(error);
    await recordEvents(agent, [{ type: 'delegationEnded', value: { delegationId, status: 'failed' } }]);
    return { ok: false, delegationId, problem: formatFailure(rootCause(error)) };
  }
}

async function prepare(
  agent: Agent,
  { step, place, input, ordinal }: RelayItem,
  session: CapturedSession,
): Promise<PreparedDelegation> {
  const { opened } = agent.progress;
  const { prepareSkill } = proxyActivities<AgentActivities>(
    activityOptions(shortActivityOptions, agent.settings, `compose ${step.name}`),
  );
  return prepareSkill({
    ...storeLocation(agent),
    skill: step.skill,
    place,
    input,
    expectedArtifacts: step.artifacts ?? [],
    // `openRelay` has checked that every skill of the relay exists, so they are pinned.
    skills: opened.skills ?? opened.prompts,
    prompts: opened.prompts,
    tools: opened.toolList,
    ...(opened.access === undefined ? {} : { access: opened.access }),
    workspace: workspaceInput(agent.progress.workspace),
    snapshot: await session.transfer,
    ...(session.problem === undefined ? {} : { snapshotProblem: session.problem }),
    settings: settingsInput(agent),
    depth: agent.depth,
    ordinal,
    searchAttributes: opened.searchAttributes,
  });
}

async function runAsChild(
  agent: Agent,
  { place, notStarted, ordinal }: RelayItem,
  prepared: ReadyDelegation,
  session: CapturedSession,
): Promise<DelegationResult> {
  const headline = `${place}: ${prepared.headline}`;
  const child = { ...prepared, ordinal, headline, sharedSession: null, returnsFiles: true };
  const from = { snapshot: await session.transfer, workspace: session.workspace };
  return runChild(agent, child, from, notStarted);
}

async function selectValues(
  agent: Agent,
  { step, paths }: RelayItem,
  { opened }: ReadyDelegation,
  { summary }: DelegationResult,
): Promise<SelectedValues> {
  if (paths.length === 0) return {};
  const { pickOutput } = proxyActivities<AgentActivities>(
    activityOptions(shortActivityOptions, agent.settings, `read the output of ${step.name}`),
  );
  return pickOutput({ ...storeLocation(agent), text: summary, format: opened.output ?? null, paths });
}
