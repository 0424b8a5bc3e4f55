import type { SpanAttributes } from '../../temporal-config/names';

/** Candidates for span attributes: names and numbers, never text that users or models wrote. */
type Facts = Readonly<Record<string, unknown>>;

/** Attributes of an execution, read from its input. A client may start one with any input. */
export function executionAttributes(start: unknown): SpanAttributes {
  const { runId, delegationId, depth, promptNs, promptKey, model } = facts(start);
  return present({
    'baton.run_id': runId,
    'baton.delegation_id': delegationId,
    'baton.depth': depth,
    'baton.prompt':
      typeof promptNs === 'string' && typeof promptKey === 'string' ? `${promptNs}/${promptKey}` : undefined,
    'baton.model': facts(model)['name'],
  });
}

/** Attributes of an activity, read from its input. */
export function activityAttributes(type: string, input: unknown): SpanAttributes {
  const { identity, call } = facts(input);
  if (type === 'callModel') {
    const { call: index } = facts(identity);
    return present({ 'baton.turn': typeof index === 'number' ? index + 1 : undefined });
  }
  if (type !== 'executeTool') return {};
  const { name, id } = facts(call);
  return present({ 'baton.tool': name, 'baton.tool_call_id': id });
}

/** Attributes of an activity, read from its result. */
export function resultAttributes(type: string, result: unknown): SpanAttributes {
  const { usage, stopReason, outcome } = facts(result);
  if (type === 'executeTool') return present({ 'baton.tool_error': facts(outcome)['isError'] });
  if (type !== 'callModel') return {};
  const { input, output, cacheRead, cacheWrite } = facts(usage);
  return present({
    'baton.stop_reason': stopReason,
    'baton.tokens.input': input,
    'baton.tokens.output': output,
    'baton.tokens.cache_read': cacheRead,
    'baton.tokens.cache_write': cacheWrite,
  });
}

function facts(value: unknown): Facts {
  return Object(value) as Facts;
}

function present(attributes: Facts): SpanAttributes {
  const isPlain = (value: unknown): value is string | number | boolean =>
    typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  const kept = Object.entries(attributes).flatMap(([name, value]) => (isPlain(value) ? [[name, value] as const] : []));
  return Object.fromEntries(kept);
}
