import { z } from 'zod';
import type { JsonObject } from '../kernel';
import type { SkillDefinition } from '../skill';
import { dispatchSkillName, type ToolDescription } from '../tool';
import { DispatchRefusedError } from './contract';
import type { DispatchSubagentParameters } from './dispatch-subagent';
import { acceptNulls } from './optional-fields';

/** Parameters of `dispatch_skill`. The skill's own schema checks `input`. */
export const dispatchSkillSchema = z.strictObject({
  skill: z.string().min(1),
  input: z.record(z.string(), z.json()),
});

/** Describes `dispatch_skill` for models and prompts, with the skills of the run and their input schemas. */
export function dispatchSkillTool(skills: readonly SkillDefinition[]): ToolDescription {
  const inputs = skills.map(({ name, input }) => ({
    ...acceptNulls(input),
    title: name,
    description: `Input of ${name}`,
  }));
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
    id: 'baton/dispatch_skill@2',
    description:
      'Delegates work to a specialized agent. It sees only its own instructions, the context that its skill injects from your ' +
      'workspace and artifacts, and the input you provide. Returns its result.',
    // Omitted fields of a definition may be present as undefined, which is not JSON.
    inputSchema: JSON.parse(JSON.stringify(inputSchema)) as ToolDescription['inputSchema'],
    success:
      "The skill's answer, followed by a line of JSON with prompt_ns, prompt_key, message_summary, artifacts and tools_used.",
    cost: "All turns of the skill's agent; only its answer enters your context.",
    safeToRepeat: true,
  };
}

/** Returns a skill's description without line breaks. */
export function inOneLine({ description }: Pick<SkillDefinition, 'description'>): string {
  return description.trim().replace(/\s+/g, ' ');
}

/** A request to dispatch a skill. */
export interface SkillRequest {
  readonly skill: SkillDefinition;
  /** Input for the skill, not yet checked against its schema. */
  readonly input: JsonObject;
  /** Replaces the task text of the skill definition. */
  readonly task?: string | undefined;
  readonly planStep: { readonly id: string; readonly title: string } | undefined;
  /** Names of artifacts or paths of files that it has to write. */
  readonly expectedArtifacts: readonly string[];
  /** Further outputs, described in words. Default: none. */
  readonly describedOutputs?: readonly string[];
}

/**
 * Converts the `instructions` of `dispatch_subagent` into the input of a skill that requires only a goal. Throws a
 * `DispatchRefusedError` for any other skill.
 */
export function skillInputFromInstructions(
  { name, input }: SkillDefinition,
  { instructions }: DispatchSubagentParameters,
): JsonObject {
  const { required = [], properties = {} } = input;
  if (required.length === 1 && required[0] === 'goal' && properties['goal']?.type === 'string') {
    return { goal: instructions };
  }
  throw new DispatchRefusedError(
    'prompt_key',
    `the skill "${name}" requires more than a goal (required: ${required.join(', ') || 'nothing'})`,
    "Use dispatch_skill with an input that matches that skill's schema.",
  );
}

/** Returns the headline of a request: the first line of its goal or input, truncated. */
export function headlineOf({ input }: Pick<SkillRequest, 'input'>): string {
  const goal = input['goal'];
  const text = typeof goal === 'string' ? goal.trim() : JSON.stringify(input);
  return text.split('\n', 1)[0]?.slice(0, 100) ?? '';
}
