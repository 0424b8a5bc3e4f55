import type { Json, JsonObject } from '../kernel';
import {
  type Bindings,
  escapeTemplate,
  parseDefinition,
  type PromptDefinition,
  type RenderedPrompt,
  renderPrompt,
} from '../prompt';
import type { AssembledContext } from './assemble-context';
import { InvalidSkillInputError } from './loaded-skill';
import { jsonViolation, outputInstructions } from '../prompt/output';
import type { SkillDefinition } from './skill-definition';

/** Namespace of skills in the prompt registry. */
export const skillNamespace = 'skills';

/**
 * Bound values are inherited by delegations below. All three are therefore always given, under names that only skills
 * use: a skill must never inherit the context of the skill above it.
 */
const parameters = [
  { name: 'skill_context', description: 'the context that the skill injects, assembled by Baton', required: true },
  { name: 'skill_task', description: 'what to do with the context and the input', required: true },
  { name: 'skill_input', description: "the input, validated against the skill's schema", required: true },
];

/** Returns the skill as a prompt definition `skills/<name>` that can be registered, pinned and dispatched. */
export function skillPrompt(skill: SkillDefinition): PromptDefinition {
  const { name, description, systemPrompt, output, tools } = skill;
  const system = output === null ? systemPrompt : `${systemPrompt.trimEnd()}\n\n${outputInstructions(output)}`;
  const section = { tools: [], acceptsOverrides: false, children: [] };
  return parseDefinition({
    ns: skillNamespace,
    key: name,
    description: description.trim(),
    enabled: true,
    parameters,
    sections: [
      { ...section, key: 'system', title: 'SYSTEM', template: escapeTemplate(system), tools: [...tools] },
      { ...section, key: 'context', title: 'CONTEXT (Injected)', template: '${skill_context}' },
      { ...section, key: 'task', title: 'TASK', template: '${skill_task}' },
      { ...section, key: 'input', title: 'INPUT', template: '${skill_input}' },
    ],
    output,
    composition: { transcript: 'none' },
  });
}

/** Everything that the prompt of a skill is rendered from. */
export interface SkillCall {
  readonly skill: SkillDefinition;
  readonly context: Pick<AssembledContext, 'text'>;
  /** If omitted, the task of the skill is used. */
  readonly task?: string;
  readonly input: JsonObject;
}

/** Returns the values for the parameters of `skillPrompt`. Throws if the skill's schema does not accept the input. */
function skillBindings({ skill, context, task, input }: SkillCall): Bindings {
  validateSkillInput(skill, input);
  return {
    skill_context: context.text,
    skill_task: (task ?? skill.task).trim(),
    skill_input: renderInput(skill, input),
  };
}

/** Renders the composite prompt: `# SYSTEM`, `# CONTEXT (Injected)`, `# TASK`, `# INPUT`. */
export function composeSkillPrompt(call: SkillCall, headingLevel = 1): RenderedPrompt {
  return renderPrompt(skillPrompt(call.skill), { parameters: skillBindings(call), headingLevel });
}

/** Checks an input against the skill's input schema. Throws an `InvalidSkillInputError`. */
export function validateSkillInput({ name, input: schema }: SkillDefinition, input: JsonObject): void {
  const violation = jsonViolation(schema, input);
  if (violation === undefined) return;
  throw new InvalidSkillInputError(name, violation.path.map(String).join('.') || 'input', violation.message);
}

/**
 * Renders an input as one line per field, such as `User Goal: "Add OAuth."`, in the order of the schema. Values are JSON,
 * so that no value can look like a heading of the prompt, however many lines it has.
 */
export function renderInput({ input: { properties = {} } }: SkillDefinition, input: JsonObject): string {
  const declared = Object.keys(properties).filter((name) => Object.hasOwn(input, name));
  const others = Object.keys(input).filter((name) => !Object.hasOwn(properties, name));
  const lines = [...declared, ...others.sort()].map((name) => {
    const title = Object.hasOwn(properties, name) ? properties[name]?.title : undefined;
    return `${title ?? label(name)}: ${asJson(input[name] ?? null)}`;
  });
  return lines.length === 0 ? 'None.' : lines.join('\n');
}

/** Quotes a field name that contains unusual characters. */
function label(name: string): string {
  return /^[A-Za-z_][\w .-]*$/.test(name) ? name : asJson(name);
}

/** Formats a value as JSON on one line. JSON does not escape the two Unicode line separators, so this does. */
function asJson(value: Json): string {
  return JSON.stringify(value)
    .replace(/\u2028/g, '\\u2028')
    .replace(/\u2029/g, '\\u2029');
}
