import { InvalidInputError } from '../../domain/kernel';
import type { OpenRunInput } from '../../domain/agent';
import {
  agentPrompt,
  createRegistry,
  type PromptDefinition,
  PromptError,
  type RenderedPrompt,
  renderPrompt,
} from '../../domain/prompt';
import { skillNamespace } from '../../domain/skill';
import { isDispatchTool, type ToolDescription } from '../../domain/tool';
import { sha256 } from '../../store/blobs';
import { describeOutput, type ModelInUse } from './describe-output';

/** The prompt of a root. */
export interface RootPrompt {
  readonly definition: PromptDefinition;
  readonly rendered: RenderedPrompt;
  /** Chooses the root's tools from all that a root can have. Default: all of them. */
  readonly chooseTools?: (available: readonly ToolDescription[]) => readonly ToolDescription[];
}

/** Renders the prompt of a root that has all tools. The prompt describes the required output if the provider does not. */
export function renderRoot(
  model: ModelInUse,
  definition: PromptDefinition,
  parameters: Readonly<Record<string, string>>,
): RootPrompt {
  const described = describeOutput(model, definition);
  return { definition: described, rendered: renderPrompt(described, { parameters, sha256 }) };
}

/**
 * Renders a prompt of the worker as the whole prompt of a root, which has exactly the tools that its sections name.
 * Undefined for a run with Baton's own prompt.
 */
export function registeredRoot(
  model: ModelInUse,
  request: OpenRunInput,
  prompts: readonly PromptDefinition[],
): RootPrompt | undefined {
  const { prompt } = request;
  const { ns: ownNs, key: ownKey } = agentPrompt.definition;
  if (prompt === undefined || (prompt.ns === ownNs && prompt.key === ownKey)) return undefined;
  return namingFields(() => {
    const definition = findPrompt(prompt, prompts);
    requireGoalParameter(request, definition);
    const { name = model.name } = definition.model ?? {};
    const root = renderRoot({ ...model, name }, definition, parametersOf(request));
    return { ...root, chooseTools: (available) => namedTools(root.rendered, available) };
  });
}

/** Returns the values for a root prompt's parameters: those of the input, and the goal. */
export function parametersOf({
  goal,
  prompt: { parameters = {} } = { ns: '', key: '' },
}: OpenRunInput): Record<string, string> {
  if (goal === undefined) return parameters;
  if (parameters['goal'] !== undefined && parameters['goal'] !== goal) {
    throw new InvalidInputError(
      'goal',
      'prompt.parameters has another goal',
      'Give the goal in one of the two places.',
    );
  }
  return { ...parameters, goal };
}

function findPrompt(
  { ns, key }: { readonly ns: string; readonly key: string },
  prompts: readonly PromptDefinition[],
): PromptDefinition {
  if (ns !== skillNamespace) return createRegistry(prompts).get(ns, key);
  throw new InvalidInputError(
    'prompt',
    `${ns}/${key} is a skill`,
    `Start it as a skill: --skill ${key}, or skill.name.`,
  );
}

/** A goal that the prompt has no place for would be lost. */
function requireGoalParameter({ goal }: OpenRunInput, { ns, key, parameters }: PromptDefinition): void {
  if (goal === undefined || parameters.some(({ name }) => name === 'goal')) return;
  const takes = parameters.map(({ name }) => name).join(', ') || 'none';
  throw new InvalidInputError(
    'goal',
    `prompt ${ns}/${key} has no parameter "goal" (its parameters: ${takes})`,
    'Omit the goal, or add the parameter to the prompt.',
  );
}

/** Runs a check. An error names the field of the run's input, not that of the registry. */
function namingFields<T>(check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof PromptError)) throw error;
    const field = error.field === 'prompt_key' ? 'prompt' : `prompt.${error.field}`;
    throw new PromptError(error.type, field, error.reason, error.remediation);
  }
}

function namedTools({ ns, key, tools }: RenderedPrompt, available: readonly ToolDescription[]): ToolDescription[] {
  return tools.map((name) => {
    const tool = available.find((each) => each.name === name);
    if (tool !== undefined) return tool;
    const why = isDispatchTool(name)
      ? 'which this run has nothing to dispatch with'
      : 'which this worker does not have';
    throw new InvalidInputError(
      'prompt',
      `a section of ${ns}/${key} names the tool "${name}", ${why}`,
      isDispatchTool(name)
        ? 'Delegating needs a limits.maxDepth (--max-depth) of at least 1, and dispatch_skill a worker that has skills.'
        : `Tools of this worker: ${available.map((each) => each.name).join(', ')}.`,
    );
  });
}
