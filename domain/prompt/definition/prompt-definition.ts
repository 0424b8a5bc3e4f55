import { z } from 'zod';
import { definitionControlsSchema } from '../../agent';
import { checkValue, firstIssue } from '../../kernel';
import { mcpGrantsSchema } from '../../mcp';
import { approvalRulesSchema } from '../../tool';
import { approvalProblems } from '../../tool/approval';
import { controlsProblems } from '../checks/controls';
import { fieldName } from '../checks/text-rules';
import { PromptError } from '../prompt-error';
import { modelWishesSchema } from '../../model';
import { outputFormatSchema } from '../output';

const name = z.string().regex(/^[A-Za-z][A-Za-z0-9_.-]{0,99}$/, 'must be a name of letters, digits, `_`, `.` and `-`');

/** A parameter of a prompt. Plain JSON, so that it can be pinned. All values are text when they reach a template. */
const parameterSchema = z.strictObject({
  name: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/, 'must be a name of letters, digits and `_`'),
  description: z.string(),
  required: z.boolean(),
  default: z.string().optional(),
});
export type ParameterSpec = Readonly<z.infer<typeof parameterSchema>>;

/** A section of a prompt. `template` is markdown with `${parameters}`; `$${x}` writes a literal `${x}`. */
export interface SectionDefinition {
  readonly key: string;
  readonly title: string;
  readonly template: string;
  /** Names of the tools that this section gives to an agent. */
  readonly tools: readonly string[];
  /** Whether a caller may replace the template at run time. */
  readonly acceptsOverrides: boolean;
  readonly children: readonly SectionDefinition[];
}

/** Validates a section and its children. */
const sectionSchema: z.ZodType<SectionDefinition> = z.strictObject({
  key: name,
  title: z.string().regex(/^[^\n\r]*\S[^\n\r]*$/, 'must be one line'),
  template: z.string(),
  tools: z.array(z.string().min(1)),
  acceptsOverrides: z.boolean(),
  get children() {
    return z.array(sectionSchema);
  },
});

/** Settings for compositions from this prompt. */
const compositionSettingsSchema = z.strictObject({
  /** Whether the agent's conversation is passed to delegations together with its prompt. */
  transcript: z.enum(['none', 'full']),
});

/**
 * A prompt as plain data, without functions or classes. A run pins its definitions by the hash of this value, so that a
 * later version of a worker does not change the prompts of its agents.
 */
export const promptDefinitionSchema = z.strictObject({
  ns: name,
  key: name,
  description: z.string(),
  enabled: z.boolean(),
  parameters: z.array(parameterSchema),
  sections: z.array(sectionSchema).min(1),
  /** Required format of the final message; null for free text. */
  output: outputFormatSchema.nullable(),
  composition: compositionSettingsSchema,
  /** Controls of the delegations to this prompt. */
  delegation: definitionControlsSchema.optional(),
  /** Model of agents with this prompt. Omitted fields are taken from the run. */
  model: modelWishesSchema.optional(),
  /** MCP servers and tools that agents with this prompt may use, whatever their parent may. */
  mcp: mcpGrantsSchema.optional(),
  /** Calls that an operator has to approve, by the prompt's agent and those below it. */
  approve: approvalRulesSchema.optional(),
});
/** A prompt as plain JSON, which a worker registers and a run pins. Created by `definePrompt`. */
export type PromptDefinition = Readonly<z.infer<typeof promptDefinitionSchema>>;

/** Parses a definition from a file or from the store. Rejects unknown fields and inconsistent definitions. */
export function parseDefinition(value: unknown): PromptDefinition {
  const parsed = checkValue(promptDefinitionSchema, value);
  if (!parsed.success) {
    const { path, reason } = firstIssue(parsed.error);
    throw invalid(fieldName(path), reason, 'Correct the definition.');
  }
  requireSound(parsed.data);
  return parsed.data;
}

function requireSound(definition: PromptDefinition): void {
  requireDistinct(definition.sections, 'sections');
  const [problem] = controlsProblems(definition.delegation);
  if (problem !== undefined)
    throw invalid(fieldName(['delegation', ...problem.path]), problem.message, 'Correct the definition.');
  const [pattern] = approvalProblems(definition.approve);
  if (pattern !== undefined)
    throw invalid(fieldName(['approve', ...pattern.path]), pattern.message, 'Correct the pattern.');
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
