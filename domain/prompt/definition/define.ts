import type { z } from 'zod';
import { fieldName } from '../checks/fields';
import type { OutputSchema } from '../output-schema';
import { PromptError } from '../prompt-error';
import { parseDefinition } from './check';
import type { ParameterSpec, PromptDefinition, SectionDefinition } from './schema';

/** A section as an author writes it: what is usual may be left out. */
export interface SectionSpec {
  readonly key: string;
  readonly title: string;
  readonly template?: string;
  readonly tools?: readonly string[];
  readonly acceptsOverrides?: boolean;
  readonly children?: readonly SectionSpec[];
}

export interface PromptSpec<P extends z.ZodObject> {
  readonly ns: string;
  readonly key: string;
  readonly description: string;
  /** What the templates need. Names, descriptions, defaults and what is required go into the definition; the rest checks calls of `bind`. */
  readonly parameters: P;
  readonly sections: readonly SectionSpec[];
  readonly enabled?: boolean;
  readonly output?: OutputSchema;
  readonly transcript?: 'none' | 'full';
}

export interface AuthoredPrompt<P extends z.ZodObject> {
  readonly definition: PromptDefinition;
  /** Checks values by the schema, for callers in the program; the result goes to `renderPrompt`. */
  bind(values: z.input<P>): Readonly<Record<string, string>>;
}

/** Declares a prompt. The result's `definition` is plain JSON: what is registered, pinned and rendered. */
export function definePrompt<P extends z.ZodObject>(spec: PromptSpec<P>): AuthoredPrompt<P> {
  const definition = parseDefinition({
    ns: spec.ns,
    key: spec.key,
    description: spec.description,
    enabled: spec.enabled ?? true,
    parameters: Object.entries(spec.parameters.shape as Readonly<Record<string, z.ZodType>>).map(([name, schema]) =>
      describeParameter(name, schema),
    ),
    sections: spec.sections.map(defineSection),
    output: spec.output ?? null,
    composition: { transcript: spec.transcript ?? 'none' },
  });
  return { definition, bind: (values) => bindBySchema(spec.parameters, values) };
}

export function defineSection(spec: SectionSpec): SectionDefinition {
  return {
    key: spec.key,
    title: spec.title,
    template: spec.template ?? '',
    tools: spec.tools ?? [],
    acceptsOverrides: spec.acceptsOverrides ?? false,
    children: (spec.children ?? []).map(defineSection),
  };
}

/** A parameter is required exactly when its schema does not take `undefined`, and then has no default. */
function describeParameter(name: string, schema: z.ZodType): ParameterSpec {
  const absent = schema.safeParse(undefined);
  const described = { name, description: schema.description ?? '', required: !absent.success };
  return absent.success && absent.data !== undefined ? { ...described, default: asText(absent.data) } : described;
}

function bindBySchema<P extends z.ZodObject>(schema: P, values: z.input<P>): Record<string, string> {
  const parsed = schema.strict().safeParse(values);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new PromptError(
      'Prompt.InvalidParameter',
      fieldName(['parameters', ...(issue?.path ?? [])]),
      issue?.message ?? 'it is malformed',
      'Correct the value.',
    );
  }
  const given = Object.entries(parsed.data).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, asText(value)]));
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
