import type { z } from 'zod';
import type { DefinitionControls } from '../../agent';
import { checkValue, firstIssue } from '../../kernel';
import type { McpGrants } from '../../mcp';
import type { ModelWishes } from '../../model';
import type { ApprovalRule } from '../../tool';
import { fieldName } from '../checks/text-rules';
import { type OutputFormat, outputInstructions, responseFormatBody, responseFormatOf } from '../output';
import { PromptError } from '../prompt-error';
import { escapeTemplate } from './parameters';
import {
  type ParameterSpec,
  parseDefinition,
  type PromptDefinition,
  type SectionDefinition,
} from './prompt-definition';

/** A section as an author writes it. Fields with a default may be omitted. */
export interface SectionSpec {
  readonly key: string;
  readonly title: string;
  readonly template?: string;
  readonly tools?: readonly string[];
  readonly acceptsOverrides?: boolean;
  readonly children?: readonly SectionSpec[];
}

/** A prompt as an author writes it. */
export interface PromptSpec<P extends z.ZodObject> {
  readonly ns: string;
  readonly key: string;
  readonly description: string;
  /**
   * Parameters of the templates. The definition contains their names, descriptions, defaults and whether they are
   * required. The other rules of the schema apply only in `bind`.
   */
  readonly parameters: P;
  readonly sections: readonly SectionSpec[];
  readonly enabled?: boolean;
  /**
   * Format of the final message: JSON that matches a schema, or XML. The answer is checked, and its parsed value is part
   * of the result. Default: free text.
   */
  readonly output?: OutputFormat;
  readonly transcript?: 'none' | 'full';
  /** Controls of the delegations to this prompt. */
  readonly delegation?: DefinitionControls;
  /** Model of agents with this prompt, roots and delegations. Default, also for omitted fields: that of the run. */
  readonly model?: ModelWishes;
  /** MCP servers and tools that agents with this prompt may use, whatever their parent may. Default: none. */
  readonly mcp?: McpGrants;
  /** Calls that an operator has to approve, by the prompt's agent and those below it. Default: none. */
  readonly approve?: readonly ApprovalRule[];
}

/** A declared prompt: its definition, and a function that checks values for its parameters. */
export interface AuthoredPrompt<P extends z.ZodObject> {
  readonly definition: PromptDefinition;
  /** Validates values against the schema. Pass the result to `renderPrompt` as `parameters`. */
  bind(values: z.input<P>): Readonly<Record<string, string>>;
}

/**
 * Declares a prompt. Its `definition` is plain JSON: pass it to the worker in the option `prompts`, and agents may
 * dispatch it by its namespace and key. Throws a `PromptError` if the definition is inconsistent, for example when two
 * sections have the same key.
 *
 * @example
 * ```ts
 * import { definePrompt } from 'baton-agents/worker';
 * import { z } from 'zod';
 *
 * export const reviewerPrompt = definePrompt({
 *   ns: 'example',
 *   key: 'reviewer',
 *   description: 'Reviews one part of the project for risks.',
 *   parameters: z.object({ part: z.string().describe('Folder to review') }),
 *   sections: [
 *     { key: 'role', title: 'Role', template: 'You review ${part} for risks. Read before you judge.' },
 *     { key: 'report', title: 'Report', template: 'Name the most important risk first.', acceptsOverrides: true },
 *   ],
 * });
 * ```
 */
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
    ...(spec.delegation === undefined ? {} : { delegation: spec.delegation }),
    ...(spec.model === undefined ? {} : { model: spec.model }),
    ...(spec.mcp === undefined ? {} : { mcp: spec.mcp }),
    ...(spec.approve === undefined ? {} : { approve: spec.approve }),
  });
  return { definition, bind: (values) => bindBySchema(spec.parameters, values) };
}

/** Fills in the defaults of a section. */
function defineSection(spec: SectionSpec): SectionDefinition {
  return {
    key: spec.key,
    title: spec.title,
    template: spec.template ?? '',
    tools: spec.tools ?? [],
    acceptsOverrides: spec.acceptsOverrides ?? false,
    children: (spec.children ?? []).map(defineSection),
  };
}

/** A parameter is required if its schema does not accept `undefined`. A required parameter has no default. */
function describeParameter(name: string, schema: z.ZodType): ParameterSpec {
  const absent = checkValue(schema, undefined);
  const described = { name, description: schema.description ?? '', required: !absent.success };
  return absent.success && absent.data !== undefined ? { ...described, default: asText(absent.data) } : described;
}

function bindBySchema<P extends z.ZodObject>(schema: P, values: z.input<P>): Record<string, string> {
  const parsed = checkValue(schema.strict(), values);
  if (!parsed.success) {
    const { path, reason } = firstIssue(parsed.error);
    throw new PromptError(
      'Prompt.InvalidParameter',
      fieldName(['parameters', ...path]),
      reason,
      'Correct the value of this parameter.',
    );
  }
  const given = Object.entries(parsed.data).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, asText(value)]));
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Adds sections to a prompt, before a given section or at the end. Such a section can bring tools and guidance for them. */
export function withSections(
  definition: PromptDefinition,
  added: readonly SectionSpec[],
  before?: string,
): PromptDefinition {
  const { sections } = definition;
  const at = before === undefined ? sections.length : sections.findIndex(({ key }) => key === before);
  if (at === -1) {
    const known = sections.map(({ key }) => key).join(', ');
    throw new PromptError(
      'Prompt.UnknownSection',
      'before',
      `unknown section ${before ?? ''}`,
      `Use one of: ${known}.`,
    );
  }
  return parseDefinition({
    ...definition,
    sections: [...sections.slice(0, at), ...added.map(defineSection), ...sections.slice(at)],
  });
}

const responseFormatKey = 'response-format';

/**
 * Adds a section that describes the format of the answer, for a prompt that is used alone and a provider that does not
 * enforce the format. A prompt that has such a section keeps its own.
 */
export function withResponseFormat(definition: PromptDefinition): PromptDefinition {
  const { output, sections } = definition;
  if (output === null || sections.some(({ key }) => key === responseFormatKey)) return definition;
  const { json } = output;
  const body = json === undefined ? outputInstructions(output) : responseFormatBody(responseFormatOf(json));
  return withSections(definition, [
    { key: responseFormatKey, title: 'Response Format', template: escapeTemplate(body) },
  ]);
}
