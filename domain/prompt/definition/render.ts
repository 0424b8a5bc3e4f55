import { utf8 } from '../../hash';
import type { HashingOptions } from '../hashing';
import { hashingWith } from '../hashing';
import type { SectionNode } from '../layout';
import { layOut } from '../layout';
import { block } from '../markdown';
import type { OutputSchema } from '../output-schema';
import type { SectionRange } from '../section-path';
import type { SectionOverride } from './override';
import { applyOverrides } from './override';
import type { Bindings } from './parameters';
import { bindParameters, missingParameter } from './parameters';
import type { PromptDefinition, SectionDefinition } from './schema';
import { fillIn } from './template';

export interface RenderOptions extends HashingOptions {
  readonly parameters?: Bindings;
  /** What the parent has bound: child templates may use it without being given it again. */
  readonly inherited?: Bindings;
  readonly overrides?: readonly SectionOverride[];
  /** Of the outermost headings; 2 unless the text goes into another prompt's section. */
  readonly headingLevel?: number;
}

/** A prompt as an agent gets it; plain JSON. */
export interface RenderedPrompt {
  readonly ns: string;
  readonly key: string;
  readonly markdown: string;
  /** SHA-256 of the markdown's UTF-8 bytes. */
  readonly hash: string;
  readonly bytes: number;
  readonly sections: readonly SectionRange[];
  /** Everything that is bound from here on down, inherited values included. */
  readonly parameters: Bindings;
  readonly tools: readonly string[];
  readonly output: OutputSchema | null;
  readonly composition: PromptDefinition['composition'];
}

export function renderPrompt(definition: PromptDefinition, options: RenderOptions = {}): RenderedPrompt {
  const parameters = bindParameters(definition, options.parameters ?? {}, options.inherited ?? {});
  const { ns, key, sections, output, composition } = applyOverrides(definition, options.overrides ?? []);
  const valueOf = (name: string): string => {
    const value = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    if (value !== undefined) return value;
    const declared = definition.parameters.find((parameter) => parameter.name === name);
    // Declared, optional and not given: it was left out on purpose. Anything else is a hole in the text.
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
