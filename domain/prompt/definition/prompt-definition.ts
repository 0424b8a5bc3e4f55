import { z } from 'zod';
import { outputSchema } from '../output-schema';

const name = z.string().regex(/^[A-Za-z][A-Za-z0-9_.-]{0,99}$/, 'must be a name of letters, digits, `_`, `.` and `-`');

/** A parameter of a prompt. Plain JSON, so that it can be pinned. All values are text when they reach a template. */
export const parameterSchema = z.strictObject({
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
export const sectionSchema: z.ZodType<SectionDefinition> = z.strictObject({
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
export const compositionSettingsSchema = z.strictObject({
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
  output: outputSchema.nullable(),
  composition: compositionSettingsSchema,
});
export type PromptDefinition = Readonly<z.infer<typeof promptDefinitionSchema>>;
