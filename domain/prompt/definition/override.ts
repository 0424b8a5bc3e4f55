import { jsonDigest } from '../../kernel';
import { PromptError } from '../prompt-error';
import { formatSectionPath, pathKey, type SectionPath } from '../sections';
import type { PromptDefinition, SectionDefinition } from './prompt-definition';

/** Replaces the template of one section, provided that the section has not changed since the override was written. */
export interface SectionOverride {
  readonly path: SectionPath;
  /** `sectionHash` of the section that is replaced. */
  readonly replaces: string;
  readonly template: string;
}

/** Returns the hash of a section without its children, because an override does not change the children. */
export function sectionHash({ key, title, template }: SectionDefinition): string {
  return jsonDigest({ key, title, template });
}

/** Applies overrides to a definition. Throws a `PromptError` if one is stale, not accepted, or for an unknown section. */
export function applyOverrides(definition: PromptDefinition, overrides: readonly SectionOverride[]): PromptDefinition {
  const byPath = new Map<string, number>();
  overrides.forEach(({ path }, index) => {
    if (byPath.has(pathKey(path))) {
      throw refused(
        'Prompt.OverrideRefused',
        index,
        `${formatSectionPath(path)} is overridden twice`,
        'Pass only one override for it.',
      );
    }
    byPath.set(pathKey(path), index);
  });
  const used = new Set<number>();
  const replace = (section: SectionDefinition, above: SectionPath): SectionDefinition => {
    const path = [...above, section.key];
    const index = byPath.get(pathKey(path));
    const override = index === undefined ? undefined : overrides[index];
    const children = section.children.map((child) => replace(child, path));
    if (index === undefined || override === undefined) return { ...section, children };
    used.add(index);
    return { ...section, children, template: accepted(section, override, index) };
  };
  const sections = definition.sections.map((section) => replace(section, []));
  const unknown = overrides.findIndex((_, index) => !used.has(index));
  if (unknown !== -1) throw unknownSection(overrides[unknown]?.path ?? [], unknown, definition);
  return { ...definition, sections };
}

function accepted(section: SectionDefinition, { path, replaces, template }: SectionOverride, index: number): string {
  if (!section.acceptsOverrides) {
    const remedy = 'Remove the override, or set acceptsOverrides in the definition.';
    throw refused(
      'Prompt.OverrideRefused',
      index,
      `section ${formatSectionPath(path)} does not accept overrides`,
      remedy,
    );
  }
  const current = sectionHash(section);
  if (replaces !== current) {
    const remedy = `Review the current section, adapt the override, and set replaces to ${current}.`;
    throw refused(
      'Prompt.StaleOverride',
      index,
      `section ${formatSectionPath(path)} has changed since the override was written`,
      remedy,
    );
  }
  return template;
}

function refused(
  type: 'Prompt.OverrideRefused' | 'Prompt.StaleOverride' | 'Prompt.UnknownSection',
  index: number,
  reason: string,
  remediation: string,
): PromptError {
  return new PromptError(type, `overrides[${index}]`, reason, remediation);
}

function unknownSection(path: SectionPath, index: number, { ns, key, sections }: PromptDefinition): PromptError {
  const known = sections.map((section) => section.key).join(', ');
  const reason = `prompt ${ns}/${key} has no section ${formatSectionPath(path)}`;
  return refused('Prompt.UnknownSection', index, reason, `Its top-level sections are: ${known}.`);
}
