import { firstIssue } from '../../kernel/schema-issues';
import { fieldName } from '../checks/fields';
import { PromptError } from '../prompt-error';
import type { PromptDefinition, SectionDefinition } from './prompt-definition';
import { promptDefinitionSchema } from './prompt-definition';

/** Parses a definition from a file or from the store. Rejects unknown fields and inconsistent definitions. */
export function parseDefinition(value: unknown): PromptDefinition {
  const parsed = promptDefinitionSchema.safeParse(value);
  if (!parsed.success) {
    const { path, reason } = firstIssue(parsed.error);
    throw invalid(fieldName(path), reason, 'Correct the definition.');
  }
  requireSound(parsed.data);
  return parsed.data;
}

function requireSound(definition: PromptDefinition): void {
  requireDistinct(definition.sections, 'sections');
  definition.parameters.forEach(({ name, required, default: value }, index) => {
    const field = `parameters[${index}]`;
    if (definition.parameters.findIndex((other) => other.name === name) !== index) {
      throw invalid(`${field}.name`, `parameter ${name} is declared twice`, 'Declare it once.');
    }
    if (required && value !== undefined) {
      throw invalid(`${field}.default`, `parameter ${name} is required and has a default`, 'Remove one of the two.');
    }
  });
}

/** Keys must be unique among siblings, so that a section path identifies one section. */
function requireDistinct(sections: readonly SectionDefinition[], field: string): void {
  sections.forEach(({ key, children }, index) => {
    if (sections.findIndex((other) => other.key === key) !== index) {
      throw invalid(`${field}[${index}].key`, `section ${key} occurs twice`, 'Give every section its own key.');
    }
    requireDistinct(children, `${field}[${index}].children`);
  });
}

function invalid(field: string, reason: string, remediation: string): PromptError {
  return new PromptError('Prompt.InvalidDefinition', field, reason, remediation);
}
