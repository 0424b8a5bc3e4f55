import type { FailureType } from '../../kernel';
import { PromptError } from '../../prompt';
import { ContextTooLargeError, InvalidSkillInputError, MissingSourceError, UnknownSkillError } from '../../skill';
import { DispatchRefusedError, type RefusedDelegation } from '..';

/**
 * Converts an error into a refusal that the model sees; undefined for errors that the model can't do anything about.
 */
export function toRefusedDelegation(error: unknown, delegationId: string): RefusedDelegation | undefined {
  if (error instanceof DispatchRefusedError) return refused(error.type, error.message, delegationId);
  if (error instanceof PromptError) return refused(error.type, error.message, delegationId);
  const ofSkill = skillRefusal(error);
  return ofSkill && refused(ofSkill.type, ofSkill.message, delegationId);
}

function skillRefusal(error: unknown): DispatchRefusedError | undefined {
  if (error instanceof UnknownSkillError) return new DispatchRefusedError('skill', error.message, 'Use one of these.');
  if (error instanceof InvalidSkillInputError) {
    const { skill, field, reason } = error;
    const path = field === 'input' ? field : `input.${field}`;
    const remedy = `Correct the input to match the schema of "${skill}" and call the tool again.`;
    return new DispatchRefusedError(path, `the skill "${skill}" does not accept it: ${reason}`, remedy);
  }
  if (error instanceof MissingSourceError) {
    const { skill, source, reason } = error;
    const remedy = `Write it as an artifact with that name, or as a workspace file, before you dispatch "${skill}".`;
    return new DispatchRefusedError(source, `the skill "${skill}" needs it, but it ${reason}`, remedy);
  }
  if (error instanceof ContextTooLargeError) {
    return new DispatchRefusedError('skill', error.message, 'Reduce that part, or do the work yourself.', error.type);
  }
  return undefined;
}

function refused(type: FailureType, message: string, delegationId: string): RefusedDelegation {
  const cause = type === 'Tool.ValidationError' ? '' : ` (${type})`;
  return {
    ok: false,
    delegationId,
    type,
    message: `ToolValidationError${cause}: ${message} Nothing was started. [delegation_id ${delegationId}]`,
  };
}
