import { proxyActivities } from '@temporalio/workflow';
import type { AgentActivities, ChangedTools } from '../activities/interface';
import type { AgentSettings } from '../domain/agent/settings';
import { extend } from '../domain/budget/ledger';
import { chooseModel } from '../domain/model/known-models';
import type { ModelSettings } from '../domain/model/settings';
import type { Amendment } from '../domain/operator/decision';
import type { AgentProgress } from '../domain/run/progress';
import { preparing } from '../temporal-config/activity-options';
import { locationOf, withTuning, type Agent } from './agent';
import { failure } from './failures';

/** What an operator changes about an agent stays changed, in later executions too. */
export async function amend(agent: Agent, { instructions, model, budget, tools }: Amendment): Promise<void> {
  // First, since nothing else can go wrong: an amendment is made as a whole or not at all.
  if (tools !== undefined) requireAll(await changeTools(agent, tools));
  if (instructions !== undefined) agent.desk.tell(instructions);
  if (model !== undefined) change(agent, { model: anotherModel(agent.settings.model, model) });
  if (budget !== undefined) {
    agent.progress = { ...agent.progress, ledger: extend(agent.progress.ledger, budget) };
    const { maxTurns } = agent.settings.limits;
    if (budget.turns !== undefined) change(agent, { maxTurns: maxTurns + budget.turns });
  }
}

function requireAll({ refused }: ChangedTools): void {
  if (refused.length === 0) return;
  const names = refused.join(', ');
  throw failure('Input.Invalid', `The root of this run does not have ${names} either, so nobody below it gets that.`);
}

function change(agent: Agent, changes: AgentProgress['changes']): void {
  const { progress } = agent;
  agent.progress = { ...progress, changes: { ...progress.changes, ...changes }, changesTold: false };
}

/** Another model has another window; a reply may take half of it at most. */
function anotherModel(now: ModelSettings, wanted: NonNullable<Amendment['model']>): ModelSettings {
  const name = wanted.name ?? now.name;
  const window = wanted.window ?? (name === now.name ? now.window : undefined);
  const chosen = chooseModel({ name, window, maxTokens: 1, temperature: now.temperature });
  return { ...chosen, maxTokens: Math.min(wanted.maxTokens ?? now.maxTokens, Math.floor(chosen.window / 2)) };
}

/** Settings as they are in force: what the agent was started with, and what was changed since. */
export function inForce(settings: AgentSettings, { model, maxTurns }: AgentProgress['changes']): AgentSettings {
  if (model === undefined && maxTurns === undefined) return settings;
  return {
    ...settings,
    ...(model === undefined ? {} : { model }),
    ...(maxTurns === undefined ? {} : { limits: { ...settings.limits, maxTurns } }),
  };
}

interface ToolChange {
  readonly grant?: readonly string[] | undefined;
  readonly revoke?: readonly string[] | undefined;
}

/** What would become of an agent's tools; nothing is changed. */
export function proposeTools(agent: Agent, { grant = [], revoke = [] }: ToolChange): Promise<ChangedTools> {
  const activities = proxyActivities<AgentActivities>(withTuning(preparing, agent.settings, 'change the tools'));
  const { toolList } = agent.progress.opened;
  return activities.changeTools({ ...locationOf(agent), toolList, grant, revoke });
}

/** All of it, or nothing when the run's root did not have a tool either. */
export async function changeTools(agent: Agent, wanted: ToolChange): Promise<ChangedTools> {
  for (;;) {
    const { hash } = agent.progress.opened.toolList;
    const changed = await proposeTools(agent, wanted);
    // Another call of the same turn may have changed the list meanwhile: then this change is made on top of that one.
    if (agent.progress.opened.toolList.hash !== hash) continue;
    if (changed.refused.length > 0) return changed;
    change(agent, { toolList: changed.toolList });
    const opened = { ...agent.progress.opened, tools: changed.tools, toolList: changed.toolList };
    agent.progress = { ...agent.progress, opened };
    return changed;
  }
}
