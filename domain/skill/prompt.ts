import type { JsonObject } from '../json-value';
import { parseDefinition, renderPrompt, type Bindings, type PromptDefinition, type RenderedPrompt } from '../prompt';
import type { AssembledContext } from './assemble-context';
import type { SkillDefinition } from './definition';
import { renderInput, requireSkillInput } from './input';
import { describeOutput } from './output-format';

/** Where skills are in the registry of prompts. */
export const skillsNs = 'skills';

/**
 * Bound values pass down to delegations below. So all three are always given, and have names of their own: a skill must
 * never go on with the context of the one above it.
 */
const parameters = [
  { name: 'skill_context', description: "what the skill's slice injects, assembled by Baton", required: true },
  { name: 'skill_task', description: 'what is to be done with context and input', required: true },
  { name: 'skill_input', description: "the input, checked by the skill's schema", required: true },
];

/** The skill as a prompt that can be registered, pinned and dispatched: `(skills, name)`. */
export function skillPrompt(skill: SkillDefinition): PromptDefinition {
  const { name, description, systemPrompt, output, tools } = skill;
  const system = output === null ? systemPrompt : `${systemPrompt.trimEnd()}\n\n${describeOutput(output)}`;
  const section = { tools: [], acceptsOverrides: false, children: [] };
  return parseDefinition({
    ns: skillsNs,
    key: name,
    description: description.trim(),
    enabled: true,
    parameters,
    sections: [
      { ...section, key: 'system', title: 'SYSTEM', template: literalTemplate(system), tools: [...tools] },
      { ...section, key: 'context', title: 'CONTEXT (Injected)', template: '${skill_context}' },
      { ...section, key: 'task', title: 'TASK', template: '${skill_task}' },
      { ...section, key: 'input', title: 'INPUT', template: '${skill_input}' },
    ],
    output: null,
    composition: { transcript: 'none' },
  });
}

export interface SkillCall {
  readonly skill: SkillDefinition;
  readonly context: Pick<AssembledContext, 'text'>;
  /** The skill's own when left out. */
  readonly task?: string;
  readonly input: JsonObject;
}

/** Values for the parameters of `skillPrompt`; an input that the skill does not accept is refused. */
export function skillBindings({ skill, context, task, input }: SkillCall): Bindings {
  requireSkillInput(skill, input);
  return {
    skill_context: context.text,
    skill_task: (task ?? skill.task).trim(),
    skill_input: renderInput(skill, input),
  };
}

/** The single composite prompt: `# SYSTEM`, `# CONTEXT (Injected)`, `# TASK`, `# INPUT`. */
export function composeSkillPrompt(call: SkillCall, headingLevel = 1): RenderedPrompt {
  return renderPrompt(skillPrompt(call.skill), { parameters: skillBindings(call), headingLevel });
}

/** Text for a template in which `${x}` stands for itself. */
export function literalTemplate(text: string): string {
  return text.replace(/\$\{[A-Za-z_][A-Za-z0-9_]*\}/g, (placeholder) => `$${placeholder}`);
}
