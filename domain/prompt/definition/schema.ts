import { z } from 'zod';
import { outputSchema } from '../output-schema';

const name = z.string().regex(/^[A-Za-z][A-Za-z0-9_.-]{0,99}$/, 'must be a name of letters, digits, `_`, `.` and `-`');

/** A parameter in the form that can be pinned: plain JSON. All values are text by the time they reach a template. */
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
  /** Names of the tools that an agent with this section gets. */
  readonly tools: readonly string[];
  /** Whether a caller may replace the template at run time. */
  readonly acceptsOverrides: boolean;
  readonly children: readonly SectionDefinition[];
}

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

export const compositionSettingsSchema = z.strictObject({
  /** Whether the agent's conversation goes along with its prompt when it delegates. */
  transcript: z.enum(['none', 'full']),
});

/**
 * A prompt as data. A run pins its definitions by the hash of this value, so that no later version of a worker changes
 * what its agents are told: nothing in here is a function or a class.
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
