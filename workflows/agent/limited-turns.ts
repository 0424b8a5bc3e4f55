import { type ActivityOptions, workflowInfo } from '@temporalio/workflow';
import type { AgentSettings } from '../../domain/agent';
import { limitMark, limitOf } from '../../domain/limit';
import { equal } from '../../temporal-config/priority';
import { limitedTaskQueue } from '../../temporal-config/task-queues';

/** Returns the limit of an agent's model, by its pattern; undefined if it has none. */
export function limitOfModel({ model, limitedModels = [] }: AgentSettings): string | undefined {
  return limitOf(limitedModels, model.name);
}

/** Names the limit of an agent's model after what it is doing; empty if it has none. */
export function namingLimit(settings: AgentSettings): string {
  const pattern = limitOfModel(settings);
  return pattern === undefined ? '' : `, ${limitMark} ${pattern}`;
}

/** Options of a turn whose model has a limit: the task queue that the server limits. Empty for any other model. */
export function limitedOptions(settings: AgentSettings): ActivityOptions {
  const pattern = limitOfModel(settings);
  if (pattern === undefined) return {};
  return { taskQueue: limitedTaskQueue(workflowInfo().taskQueue, pattern), priority: equal };
}
