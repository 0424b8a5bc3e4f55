import {
  continueRunActivity,
  executeToolActivity,
  openRunActivity,
  runTurnActivity,
  runWorkflowContract,
} from '../../domain/agent';
import { batchPrompt, delegationWorkflowContract } from '../../domain/delegation';
import { parseModelName } from '../../domain/model';
import { openRelayActivity, relayWorkflowContract } from '../../domain/relay';
import { genAi, genAiFinishReason, genAiOperations, genAiProvider, toolErrorType } from '../../temporal-config/gen-ai';
import { type SpanAttributes, spanNames } from '../../temporal-config/names';
import { executionContents, modelContents, replyContents, toolContents, toolResultContents } from './contents';
import { facts, type Facts, items } from './facts';

/** What is known about a span at one of its ends. */
export interface SpanFacts {
  /** Its name in the conventions for generative AI; undefined if they have none. */
  readonly name?: string;
  readonly attributes: SpanAttributes;
  /** What users, models and tools wrote. The worker drops it unless it was told to record it. */
  readonly contents?: Facts;
  /** Set when the work was done, but reports an error. */
  readonly errorType?: string;
  /** When it ended, ISO 8601, if that was before it became known. */
  readonly endedAt?: string;
}

/** The agent of an execution, which its model calls and tools belong to. */
export interface TracedAgent {
  readonly attributes: SpanAttributes;
  /** Settings of the model that its next call uses; empty while the worker has not chosen one. */
  model: Facts;
}

/** Reads who an execution is from its input. A client may start one with any input. */
export function tracedAgent(workflowId: string, start: unknown): TracedAgent {
  const { runId, model, resume } = facts(start);
  const { changes } = facts(facts(resume)['progress']);
  return {
    attributes: present({
      [genAi.conversationId]: runId,
      [genAi.agentId]: workflowId,
      [genAi.agentName]: agentName(facts(start)),
    }),
    model: { ...facts(model), ...facts(facts(changes)['model']) },
  };
}

const openings: readonly string[] = [openRunActivity, openRelayActivity, continueRunActivity].map(({ name }) => name);

/** Updates the model of an agent from what an activity is sent, or returns: the worker, or an operator, chooses it. */
export function followModel(
  agent: TracedAgent,
  type: string,
  { sent, result }: { sent?: unknown; result?: unknown },
): void {
  if (type === runTurnActivity.name)
    agent.model = { ...agent.model, ...facts(facts(facts(facts(sent)['told'])['changes'])['model']) };
  if (openings.includes(type)) agent.model = { ...agent.model, ...facts(facts(facts(result)['settings'])['model']) };
}

/** Facts about an execution, from its input. */
export function executionFacts(type: string, agent: TracedAgent, start: unknown): SpanFacts {
  const { runId, delegationId, depth, relay } = facts(start);
  const own = present({
    'baton.run_id': runId,
    'baton.delegation_id': delegationId,
    'baton.depth': depth,
    'baton.prompt': ownPrompt(facts(start)),
    'baton.model': agent.model['name'],
  });
  if (type === relayWorkflowContract.name) {
    const name = typeof relay === 'string' ? relay : facts(relay)['name'];
    const about = { [genAi.conversationId]: runId, [genAi.workflowName]: name };
    return operation(genAiOperations.workflow, name, { ...own, ...present(about) }, executionContents(start));
  }
  if (type !== runWorkflowContract.name && type !== delegationWorkflowContract.name) return { attributes: own };
  const about = { ...own, ...agent.attributes, ...modelAttributes(agent) };
  return operation(genAiOperations.agent, agent.attributes[genAi.agentName], about, executionContents(start));
}

/** Facts about an activity, from its input. */
export function activityFacts(type: string, agent: TracedAgent, input: unknown): SpanFacts {
  if (type === runTurnActivity.name) {
    const { call: index } = facts(facts(input)['identity']);
    const turn = {
      'baton.turn': typeof index === 'number' ? index + 1 : undefined,
      'baton.model': agent.model['name'],
    };
    const about = { ...present(turn), ...agent.attributes, ...modelAttributes(agent) };
    return operation(genAiOperations.chat, about[genAi.requestModel], about, modelContents(input));
  }
  if (type !== executeToolActivity.name) return { attributes: {} };
  const { name, id } = facts(facts(input)['call']);
  return toolFacts(agent, { name, id }, toolContents(input));
}

/** Facts about a tool call. */
export function toolFacts(agent: TracedAgent, { name, id }: Facts, contents: Facts): SpanFacts {
  const tool = { [genAi.toolName]: name, [genAi.toolCallId]: id, [genAi.toolType]: 'function' };
  const about = { ...present({ 'baton.tool': name, 'baton.tool_call_id': id, ...tool }), ...agent.attributes };
  return operation(genAiOperations.tool, name, about, contents);
}

/** Facts about an activity, from its result. */
export function resultFacts(type: string, agent: TracedAgent, result: unknown): SpanFacts {
  if (type === executeToolActivity.name) {
    return toolResultFacts(facts(facts(result)['outcome'])['isError'], toolResultContents(result));
  }
  if (type !== runTurnActivity.name) return { attributes: {} };
  const { usage, stopReason, model: responseModel } = facts(result);
  if (!Array.isArray(usage)) return { attributes: {} };
  const [input, cacheRead, cacheWrite, output] = items(usage);
  return {
    attributes: present({
      'baton.stop_reason': stopReason,
      'baton.tokens.input': input,
      'baton.tokens.output': output,
      'baton.tokens.cache_read': cacheRead,
      'baton.tokens.cache_write': cacheWrite,
      [genAi.responseModel]: responseModel ?? requestedModel(agent)?.model,
      [genAi.finishReasons]: typeof stopReason === 'string' ? [genAiFinishReason(stopReason)] : undefined,
      [genAi.inputTokens]: sum(input, cacheRead, cacheWrite),
      [genAi.outputTokens]: output,
      [genAi.cacheReadTokens]: cacheRead,
      [genAi.cacheWriteTokens]: cacheWrite,
    }),
    contents: replyContents(result),
  };
}

/** Facts about the end of a tool call. */
export function toolResultFacts(isError: unknown, contents: Facts): SpanFacts {
  return {
    attributes: present({ 'baton.tool_error': isError }),
    contents,
    ...(isError === true ? { errorType: toolErrorType } : {}),
  };
}

/** Returns the name of a span that the conventions don't name. */
export function ownSpanName(type: string): string {
  return spanNames[type] ?? `baton.${type}`;
}

function operation(name: string, subject: unknown, attributes: SpanAttributes, contents: Facts): SpanFacts {
  return {
    name: typeof subject === 'string' ? `${name} ${subject}` : name,
    attributes: { [genAi.operation]: name, ...attributes },
    contents,
  };
}

/** The skill or the prompt of an agent; Baton's own agent otherwise. */
function agentName(start: Facts): unknown {
  const { opened, prompt, skill } = start;
  const { ns, key } = facts(prompt);
  const name = facts(opened)['skill'] ?? facts(skill)['name'];
  return name ?? ownPrompt(start) ?? promptName(ns, key) ?? 'baton/agent';
}

/** The prompt of a delegation, which its input omits in a batch. */
function ownPrompt(start: Facts): string | undefined {
  if (start['delegationId'] === undefined) return undefined;
  const { promptNs, promptKey } = { ...batchPrompt, ...start };
  return promptName(promptNs, promptKey);
}

function promptName(ns: unknown, key: unknown): string | undefined {
  return typeof ns === 'string' && typeof key === 'string' ? `${ns}/${key}` : undefined;
}

function requestedModel({ model }: TracedAgent): ReturnType<typeof parseModelName> | undefined {
  const { name } = model;
  return typeof name === 'string' ? parseModelName(name) : undefined;
}

function modelAttributes(agent: TracedAgent): SpanAttributes {
  const requested = requestedModel(agent);
  if (requested === undefined) return {};
  const { maxTokens, temperature } = agent.model;
  return present({
    [genAi.provider]: genAiProvider(requested.provider),
    [genAi.requestModel]: requested.model,
    [genAi.requestMaxTokens]: maxTokens,
    [genAi.requestTemperature]: temperature,
  });
}

function sum(...numbers: readonly unknown[]): number | undefined {
  const known = numbers.filter((number) => typeof number === 'number');
  return known.length === 0 ? undefined : known.reduce((total, number) => total + number, 0);
}

/** Keeps the values that a span can have. */
function present(attributes: Facts): SpanAttributes {
  const kept = Object.entries(attributes).flatMap(([name, value]) =>
    isAttribute(value) ? [[name, value] as const] : [],
  );
  return Object.fromEntries(kept);
}

function isAttribute(value: unknown): value is SpanAttributes[string] {
  if (Array.isArray(value)) return value.every((item) => typeof item === 'string');
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
