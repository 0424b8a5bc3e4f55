import {
  type Bindings,
  type CompositionInput,
  firstSentence,
  type PromptDefinition,
  type PromptRegistry,
  type RenderedPrompt,
  renderPrompt,
  type SectionRange,
  type Sha256,
  unboundParameters,
} from '../../prompt';
import { skillNamespace } from '../../skill';
import type { ToolDescription } from '../../tool';
import {
  deliveredAs,
  describeExpected,
  DispatchRefusedError,
  type DispatchSubagentParameters,
  type ExpectedOutputs,
  expectedOutputs,
} from '..';
import { answerFormat, requiredMessage } from './answer-format';
import { type AgentEnvironment, describeDeadline, describeEnvironment } from './environment';

/** The parent and its prompt. */
export interface DelegatingParent {
  readonly agentId: string;
  readonly ns: string;
  readonly key: string;
  readonly sections: readonly SectionRange[];
}

/** The facts from which the prompt of a `dispatch_subagent` delegation is composed. */
export interface SubagentCompositionInput {
  readonly parameters: DispatchSubagentParameters;
  readonly parent: DelegatingParent & { readonly bound: Bindings };
  readonly tools: readonly ToolDescription[];
  /** Tools of MCP servers that the selected prompt grants. */
  readonly granted?: readonly ToolDescription[] | undefined;
  /** Names of tools that the parent has and the child does not get. */
  readonly revoked: readonly string[];
  readonly planStep: { readonly id: string; readonly title: string } | undefined;
  readonly snapshotSummary: string;
  readonly at: string;
  readonly mayDelegateFurther: boolean;
  readonly delegationId: string;
  readonly environment: AgentEnvironment;
}

/** Describes the parent for a composition, without the values of its parameters. */
export function describeParent({ agentId, ns, key, sections }: DelegatingParent): CompositionInput['parent'] {
  return {
    agentId,
    promptNs: ns,
    promptKey: key,
    sections: sections.map(({ path, start, end }) => ({ path: [...path], start, end })),
  };
}

/**
 * Renders the selected prompt with headings that fit under `## Subagent Instructions`. Refuses a prompt with a parameter
 * that has no value, because a call has no field for one.
 */
export function renderDispatchedPrompt(
  registry: PromptRegistry,
  parameters: DispatchSubagentParameters,
  inherited: Bindings,
  sha256: Sha256,
): RenderedPrompt {
  const { prompt_ns: ns, prompt_key: key } = parameters;
  const isOffered = (other: PromptDefinition): boolean => isDispatchable(other, inherited);
  const definition = registry.get(ns, key, isOffered);
  const [unbound] = unboundParameters(definition, inherited);
  if (unbound !== undefined) {
    const what = unbound.description === '' ? '' : ` (${unbound.description})`;
    const reason = `the prompt ${ns}/${key} needs a value for its parameter ${unbound.name}${what}, and no default is configured`;
    const others = registry.list().filter((other) => other.enabled && isOffered(other));
    const remedy = others.length === 0 ? 'Do the work yourself.' : `Choose one of: ${others.map(nameOf).join(', ')}.`;
    throw new DispatchRefusedError('prompt_key', reason, remedy, 'Prompt.MissingParameter');
  }
  return renderPrompt(definition, { inherited, headingLevel: 4, sha256 });
}

/** Whether a prompt can be dispatched: it is a skill, or all its required parameters have a default or an inherited value. */
export function isDispatchable(definition: PromptDefinition, inherited: Bindings): boolean {
  return definition.ns === skillNamespace || unboundParameters(definition, inherited).length === 0;
}

function nameOf({ ns, key }: PromptDefinition): string {
  return `${ns}/${key}`;
}

/** Builds the input of the six-section composition for a call of `dispatch_subagent`. */
export function buildSubagentComposition(facts: SubagentCompositionInput, picked: RenderedPrompt): CompositionInput {
  const { parameters, parent, delegationId, revoked, granted = [] } = facts;
  const added = without(facts.environment.tools, facts.tools);
  const expected = expectedOutputs(parameters.expected_artifacts ?? []);
  return {
    parent: { ...describeParent(parent), parameters: { ...parent.bound } },
    delegation: delegationOf(facts, picked, expected),
    instructions: { role: picked.markdown, toolPolicies: revoked.map((tool) => ({ tool, text: noFurther(tool) })) },
    tooling: {
      tools: facts.tools.map((tool) => toolEntry(tool, facts)),
      ...(added.length === 0
        ? {}
        : { added: added.map((tool) => addedEntry(tool, { granted, by: granter(parameters), parent })) }),
      environment: describeEnvironment(facts.environment),
    },
    reporting: {
      format: answerFormat(picked.output),
      attachments: expected.names.map((name) => ({ name, upload: deliveredAs })),
      deadline: describeDeadline(facts.environment),
      citations: 'Cite the files and artifacts that your statements are based on.',
    },
    delegationId,
  };
}

function granter({ prompt_ns: ns, prompt_key: key }: DispatchSubagentParameters): string {
  return `the prompt ${ns}/${key}`;
}

function delegationOf(
  facts: SubagentCompositionInput,
  picked: RenderedPrompt,
  expected: ExpectedOutputs,
): CompositionInput['delegation'] {
  const outputs = describeExpected(expected);
  const finalMessage = 'a final message that states the result';
  return {
    reason: firstSentence(facts.parameters.instructions),
    expectedCompletion: outputs.length === 0 ? finalMessage : `the required outputs, and ${finalMessage}`,
    mayDelegateFurther: facts.mayDelegateFurther,
    taskSummary: facts.parameters.instructions,
    requiredOutputs: [...outputs, requiredMessage(picked.output)],
    additionalContext: contextOf(facts),
  };
}

function contextOf({
  parent,
  planStep,
  snapshotSummary,
  at,
}: SubagentCompositionInput): NonNullable<CompositionInput['delegation']['additionalContext']> {
  const session = {
    title: 'Session Snapshot',
    source: `Session of ${parent.agentId}`,
    timestamp: at,
    body: snapshotSummary,
  };
  if (planStep === undefined) return [session];
  const body = `${planStep.id}: ${planStep.title}`;
  return [{ title: 'Plan Step', source: `Plan of ${parent.agentId}`, timestamp: at, body }, session];
}

type ToolEntry = NonNullable<NonNullable<CompositionInput['tooling']>['tools']>[number];

function toolEntry(
  { name, id, success, cost }: ToolDescription,
  { parent, revoked }: SubagentCompositionInput,
): ToolEntry {
  const entry = { name, id, success, cost, provenance: `Inherited from ${parent.agentId}` };
  if (!revoked.includes(name)) return { ...entry, access: 'inherited' };
  return {
    ...entry,
    access: 'revoked',
    reason: 'This agent is at the maximum delegation depth.',
    alternative: 'Do the work yourself, or report what remains to be done.',
  };
}

/** Where tools that are not in the parent's list come from. */
interface AddedBy {
  /** Tools of MCP servers that the prompt or skill grants. */
  readonly granted: readonly ToolDescription[];
  /** The prompt or skill, as part of a sentence. */
  readonly by: string;
  readonly parent: DelegatingParent;
}

/** Describes a tool that is not in the parent's list. */
export function addedEntry(tool: ToolDescription, { granted, by, parent }: AddedBy): ToolEntry {
  const { name, id, success, cost, mcp } = tool;
  const isGranted = granted.some((other) => other.name === name);
  const ofServer = isGranted ? `granted by ${by}` : `deferred for ${parent.agentId}`;
  const provenance = mcp === undefined ? 'Built into Baton' : `MCP server ${mcp.server}, ${ofServer}`;
  return { name, id, success, cost, access: 'inherited', provenance };
}

/** Returns the tools that are not among others. */
export function without(tools: readonly ToolDescription[], others: readonly ToolDescription[]): ToolDescription[] {
  return tools.filter((tool) => others.every(({ name }) => name !== tool.name));
}

function noFurther(tool: string): string {
  return `\`${tool}\` is not available: you may not delegate further.`;
}
