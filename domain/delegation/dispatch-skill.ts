import { z } from 'zod';
import type { SkillDefinition } from '../skill';
import type { ToolDescription } from '../tool/description';

export const dispatchSkillName = 'dispatch_skill';

/** Parameters of `dispatch_skill`. The skill's own schema checks `input`. */
export const dispatchSkillSchema = z.strictObject({
  skill: z.string().min(1),
  input: z.record(z.string(), z.json()),
});
export type DispatchSkillParameters = Readonly<z.infer<typeof dispatchSkillSchema>>;

/** Describes `dispatch_skill` for models and prompts, with the skills of the run and their input schemas. */
export function dispatchSkillTool(skills: readonly SkillDefinition[]): ToolDescription {
  const inputs = skills.map(({ name, input }) => ({ ...input, title: name, description: `Input of ${name}` }));
  const inputSchema = {
    type: 'object',
    properties: {
      skill: {
        type: 'string',
        enum: skills.map(({ name }) => name),
        description: ['The skill to dispatch:', ...skills.map((skill) => `- ${skill.name}: ${inOneLine(skill)}`)].join(
          '\n',
        ),
      },
      input: { anyOf: inputs, description: 'Input for the skill; must match the schema of that skill' },
    },
    required: ['skill', 'input'],
    additionalProperties: false,
  };
  return {
    name: dispatchSkillName,
    id: 'baton/dispatch_skill@1',
    description:
      'Delegates work to a specialized agent. It sees only its own instructions, the context that its skill injects from your ' +
      'workspace and artifacts, and the input you provide. Returns its result.',
    // Omitted fields of a definition may be present as undefined, which is not JSON.
    inputSchema: JSON.parse(JSON.stringify(inputSchema)) as ToolDescription['inputSchema'],
    success: "The skill's answer, the artifacts it wrote and the tools it used.",
    cost: "All turns of the skill's agent; only its answer enters your context.",
    safeToRepeat: true,
  };
}

/** Returns a skill's description without line breaks. */
export function inOneLine({ description }: Pick<SkillDefinition, 'description'>): string {
  return description.trim().replace(/\s+/g, ' ');
}
