import type { JsonObject } from '../json-value';
import type { SkillDefinition } from '../skill';
import type { DispatchSubagentParameters } from './dispatch-subagent';
import { DispatchRefusedError } from './refusal';

/** A skill that somebody asks for, and everything that is said about this one time. */
export interface SkillRequest {
  readonly skill: SkillDefinition;
  /** Not checked yet. */
  readonly input: JsonObject;
  /** Instead of the skill's own wording. */
  readonly task?: string | undefined;
  readonly planStep: { readonly id: string; readonly title: string } | undefined;
  readonly expectedArtifacts: readonly string[];
}

/** What `instructions` of `dispatch_subagent` are to a skill: its goal, if a goal is all that it needs. */
export function goalOf({ name, input }: SkillDefinition, { instructions }: DispatchSubagentParameters): JsonObject {
  const { required = [], properties = {} } = input;
  if (required.length === 1 && required[0] === 'goal' && properties['goal']?.type === 'string') {
    return { goal: instructions };
  }
  throw new DispatchRefusedError(
    'prompt_key',
    `the skill "${name}" takes more than a goal (required: ${required.join(', ') || 'nothing'})`,
    'Call dispatch_skill instead, with an input by the schema of that skill.',
  );
}

/** The beginning of what is asked, for lists. */
export function headlineOf({ input }: Pick<SkillRequest, 'input'>): string {
  const goal = input['goal'];
  const text = typeof goal === 'string' ? goal.trim() : JSON.stringify(input);
  return text.split('\n', 1)[0]?.slice(0, 100) ?? '';
}
