import type { JsonObject } from '../kernel/json-value';
import type { SkillDefinition } from '../skill';
import type { DispatchSubagentParameters } from './dispatch-subagent';
import { DispatchRefusedError } from './prepare/refusal';

/** A request to dispatch a skill. */
export interface SkillRequest {
  readonly skill: SkillDefinition;
  /** Input for the skill, not yet checked against its schema. */
  readonly input: JsonObject;
  /** Replaces the task text of the skill definition. */
  readonly task?: string | undefined;
  readonly planStep: { readonly id: string; readonly title: string } | undefined;
  readonly expectedArtifacts: readonly string[];
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
