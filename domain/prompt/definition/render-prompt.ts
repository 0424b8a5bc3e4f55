import { utf8 } from '../../kernel';
import { type HashingOptions, hashingWith } from '../bytes';
import { layOut, type SectionNode } from '../layout';
import { block } from '../markdown';
import type { OutputFormat } from '../output';
import type { SectionRange } from '../sections';
import { applyOverrides, type SectionOverride } from './override';
import { type Bindings, bindParameters, fillIn, missingParameter } from './parameters';
import type { PromptDefinition, SectionDefinition } from './prompt-definition';

/** Options of `renderPrompt`. */
export interface RenderOptions extends HashingOptions {
  readonly parameters?: Bindings;
  /** Values that the parent has bound. Templates may use them without getting them again in `parameters`. */
  readonly inherited?: Bindings;
  readonly overrides?: readonly SectionOverride[];
  /** Level of the outermost headings. Default: 2. */
  readonly headingLevel?: number;
}

/** A rendered prompt. Plain JSON. */
export interface RenderedPrompt {
  readonly ns: string;
  readonly key: string;
  readonly markdown: string;
  /** SHA-256 of the markdown's UTF-8 bytes. */
  readonly hash: string;
  readonly bytes: number;
  readonly sections: readonly SectionRange[];
  /** All bound values, including inherited ones. Delegations below inherit them. */
  readonly parameters: Bindings;
  readonly tools: readonly string[];
  readonly output: OutputFormat | null;
  readonly composition: PromptDefinition['composition'];
}

/** Renders a prompt: applies overrides, fills in parameters and lays out the sections. */
export function renderPrompt(definition: PromptDefinition, options: RenderOptions = {}): RenderedPrompt {
  const parameters = bindParameters(definition, options.parameters ?? {}, options.inherited ?? {});
  const { ns, key, sections, output, composition } = applyOverrides(definition, options.overrides ?? []);
  const valueOf = (name: string): string => {
    const value = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    if (value !== undefined) return value;
    const declared = definition.parameters.find((parameter) => parameter.name === name);
    // A declared optional parameter may be omitted on purpose. An undeclared placeholder is an error.
    if (declared !== undefined) return '';
    throw missingParameter(name, definition);
  };
  const nodes = sections.map((section) => nodeOf(section, valueOf));
  const laidOut = layOut(nodes, { level: options.headingLevel ?? 2, path: [] });
  const bytes = utf8(laidOut.text);
  return {
    ns,
    key,
    markdown: laidOut.text,
    hash: hashingWith(options)(bytes),
    bytes: bytes.length,
    sections: laidOut.sections,
    parameters,
    tools: [...new Set(sections.flatMap(toolsOf))],
    output,
    composition,
  };
}

function nodeOf(section: SectionDefinition, valueOf: (name: string) => string): SectionNode {
  return {
    key: section.key,
    title: section.title,
    body: fillIn(block(section.template), valueOf),
    children: section.children.map((child) => nodeOf(child, valueOf)),
  };
}

function toolsOf({ tools, children }: SectionDefinition): string[] {
  return [...tools, ...children.flatMap(toolsOf)];
}
