import { proxyActivities } from '@temporalio/workflow';
import type { AgentActivities } from '../../activities/interface';
import type { AgentProgress, AgentSettings } from '../../domain/agent';
import { increaseAllowance } from '../../domain/budget';
import { anotherModel } from '../../domain/model';
import type { Amendment } from '../../domain/operator';
import type { ChangedTools } from '../../domain/tool';
import { shortActivityOptions } from '../../temporal-config/activity-options';
import { activityOptions, type Agent, storeLocation } from '../agent/agent';
import { failure } from '../failures';

/** Applies the changes that arrived with the retry of an agent that had failed. Called before each step they concern. */
export async function applyWaitingAmendments(agent: Agent): Promise<void> {
  for (const amendment of agent.inbox.takeAmendments()) await applyAmendment(agent, amendment);
}

/** Applies an operator's changes to an agent. They remain in effect in later executions. */
export async function applyAmendment(
  agent: Agent,
  { instructions, model, budget, tools, deadline }: Amendment,
): Promise<void> {
  // First, because nothing else can fail: an amendment is applied as a whole or not at all.
  if (deadline !== undefined) changeDeadline(agent, deadline);
  if (tools !== undefined) requireAll(await applyToolChange(agent, tools));
  if (instructions !== undefined) agent.inbox.queueSteering(instructions);
  if (model !== undefined) changeModel(agent, model);
  if (budget !== undefined) {
    agent.progress = { ...agent.progress, ledger: increaseAllowance(agent.progress.ledger, budget) };
    const { maxTurns } = agent.settings.limits;
    if (budget.turns !== undefined) recordChange(agent, { maxTurns: maxTurns + budget.turns });
  }
}

/** The transcript does not contain it, unlike the other changes, so the model is told in words. */
function changeDeadline(agent: Agent, deadline: string): void {
  const { progress } = agent;
  if (agent.settings.deadline === undefined)
    throw failure('Input.Invalid', 'This agent has no deadline that could be changed.');
  agent.progress = { ...progress, changes: { ...progress.changes, deadline } };
  agent.inbox.queueSteering(`The deadline is now ${deadline}.`);
}

function requireAll({ refused }: ChangedTools): void {
  if (refused.length === 0) return;
  const names = refused.join(', ');
  throw failure(
    'Input.Invalid',
    `Cannot grant ${names}: the root agent of this run does not have it, and no agent may have more tools than the root.`,
  );
}

function recordChange(agent: Agent, changes: AgentProgress['changes']): void {
  const { progress } = agent;
  agent.progress = { ...progress, changes: { ...progress.changes, ...changes }, changesTold: false };
}

function changeModel(agent: Agent, { price, ...wanted }: NonNullable<Amendment['model']>): void {
  const { settings, progress } = agent;
  const model = anotherModel(settings.model, wanted, settings.models);
  const prices = price === undefined ? {} : { prices: { ...progress.changes.prices, [model.name]: price } };
  recordChange(agent, { model, ...prices });
}

/** Returns the effective settings: those the agent was started with, plus later changes. */
export function effectiveSettings(
  settings: AgentSettings,
  { model, maxTurns, deadline, prices }: AgentProgress['changes'],
): AgentSettings {
  if (model === undefined && maxTurns === undefined && deadline === undefined) return settings;
  return {
    ...settings,
    ...(model === undefined ? {} : { model }),
    ...(prices === undefined ? {} : { prices: { ...settings.prices, ...prices } }),
    ...(maxTurns === undefined ? {} : { limits: { ...settings.limits, maxTurns } }),
    ...(deadline === undefined ? {} : { deadline }),
  };
}

interface ToolChange {
  readonly grant?: readonly string[] | undefined;
  readonly revoke?: readonly string[] | undefined;
}

/** Returns what a change would do to an agent's tools, without applying it. */
export function previewToolChange(agent: Agent, { grant = [], revoke = [] }: ToolChange): Promise<ChangedTools> {
  const activities = proxyActivities<AgentActivities>(
    activityOptions(shortActivityOptions, agent.settings, 'change the tools'),
  );
  const { toolList, access } = agent.progress.opened;
  const restricted = access === undefined ? {} : { access };
  return activities.changeTools({ ...storeLocation(agent), toolList, grant, revoke, ...restricted });
}

/** Applies a change of tools as a whole, or not at all if the run's root agent lacks a granted tool. */
export async function applyToolChange(agent: Agent, wanted: ToolChange): Promise<ChangedTools> {
  for (;;) {
    const { hash } = agent.progress.opened.toolList;
    const changed = await previewToolChange(agent, wanted);
    // Another call of the same turn may have changed the list in the meantime. Then apply this change to the new list.
    if (agent.progress.opened.toolList.hash !== hash) continue;
    if (changed.refused.length > 0) return changed;
    recordChange(agent, { toolList: changed.toolList });
    const opened = { ...agent.progress.opened, tools: changed.tools, toolList: changed.toolList };
    agent.progress = { ...agent.progress, opened };
    return changed;
  }
}
