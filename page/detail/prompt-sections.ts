import type { PromptView } from '../protocol';

type Section = PromptView['sections'][number];

/** A section, with those that belong to the embedded prompt of the parent below it. */
export interface PromptNode extends Section {
  readonly children: readonly PromptNode[];
  /** Lines of the section with everything below it. */
  readonly lines: number;
}

/**
 * Puts the sections of an embedded prompt below it: those that follow it with a greater level. Other sections stay side by
 * side, because only the parent's part is folded.
 */
export function nestedSections(sections: readonly Section[]): readonly PromptNode[] {
  const nodes: PromptNode[] = [];
  for (let index = 0; index < sections.length;) {
    const section = sections[index];
    if (section === undefined) break;
    const end = section.parent === undefined ? index + 1 : endOfParent(sections, index);
    const children = nestedSections(sections.slice(index + 1, end));
    const lines = sections.slice(index, end).reduce((sum, { text }) => sum + text.split('\n').length - 1, 0);
    nodes.push({ ...section, children, lines });
    index = end;
  }
  return nodes;
}

function endOfParent(sections: readonly Section[], start: number): number {
  const level = sections[start]?.level ?? 0;
  let end = start + 1;
  while (end < sections.length && (sections[end]?.level ?? 0) > level) end++;
  return end;
}
