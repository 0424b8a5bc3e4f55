import { afterFallback, type ReplacedModel } from '../../domain/agent';
import { truncateText } from '../../domain/kernel';
import { isOutage, nextModel } from '../../domain/model';
import { workflowNow } from '../clock';
import { failure, rootCause } from '../failures';
import type { Agent } from './agent';

/** Maximum characters of a failure's message that an agent carries. */
const maxMessage = 300;

/**
 * Gives the turn to the next model of the agent's list, if its model can't be used. The agent keeps that model: whatever
 * made the other one unusable seldom ends within a turn. Returns false when no other model may or can take over.
 */
export function fallBack(agent: Agent, error: unknown): boolean {
  const { type, message } = rootCause(error);
  const { settings, progress } = agent;
  const next = isOutage(type) ? nextModel(settings.model, settings.models) : undefined;
  if (type === undefined || next === undefined) return false;
  agent.progress = afterFallback(progress, next, {
    turn: progress.calls + 1,
    from: settings.model.name,
    to: next.name,
    type,
    message: truncateText(message, maxMessage),
    at: workflowNow(),
  });
  return true;
}

/** Returns the models that failed in the turn that is about to be repeated; undefined when there are none. */
export function replacedModels({ settings, progress }: Agent): readonly ReplacedModel[] | undefined {
  const { fallbacks = [], calls } = progress;
  const replaced = fallbacks
    .filter(({ turn, from }) => turn === calls + 1 && from !== settings.model.name)
    .map(({ from: model, type, message }) => ({ model, type, message }));
  return replaced.length === 0 ? undefined : replaced;
}

/** Adds the models that failed before to the failure of the last one. Other errors are returned as they are. */
export function namingEveryModel({ settings, progress }: Agent, error: unknown): unknown {
  const { type, message } = rootCause(error);
  const { fallbacks = [] } = progress;
  if (!isOutage(type) || fallbacks.length === 0) return error;
  const before = fallbacks.map(({ from, type: why, turn }) => `${from} (${why} in turn ${turn})`).join(', ');
  return failure(type, `${settings.model.name}: ${message} No other model is left. Failed before: ${before}.`);
}
