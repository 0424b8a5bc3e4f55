import type { SectionPath, SectionRange } from './sections';

const prefix = 'delegation-';

/** Returns the delegation depth of a prompt from its section index: 0 for the prompt of a root agent. */
export function promptDepth(sections: readonly SectionRange[]): number {
  return sections.reduce((deepest, { path }) => {
    const number = /^delegation-([0-9]{1,6})$/.exec(path[0] ?? '')?.[1];
    return number === undefined ? deepest : Math.max(deepest, Number(number));
  }, 0);
}

/**
 * Returns the path prefix of the sections that a composition at this depth adds. Depths count from the root, so a section
 * keeps its path however deep it is embedded: a SectionPath in the text of an ancestor must be valid for all descendants.
 */
export function sectionPathAtDepth(level: number): SectionPath {
  return level === 0 ? [] : [`${prefix}${level}`];
}

/** Returns the path of the transcript section of an agent with this prompt. */
export function transcriptPath(sections: readonly SectionRange[]): SectionPath {
  return [...sectionPathAtDepth(promptDepth(sections)), 'transcript'];
}
