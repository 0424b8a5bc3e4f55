import type { SectionPath, SectionRange } from './section-path';

const prefix = 'delegation-';

/** How many delegations deep a prompt is, by its section index: 0 for the prompt of a root agent. */
export function levelOf(sections: readonly SectionRange[]): number {
  return sections.reduce((deepest, { path }) => {
    const number = /^delegation-([0-9]{1,6})$/.exec(path[0] ?? '')?.[1];
    return number === undefined ? deepest : Math.max(deepest, Number(number));
  }, 0);
}

/**
 * Under which key a composed prompt's own sections stand. Counted from the root, so that a section keeps its path however
 * deep it gets embedded: a SectionPath written in an ancestor's text must still be right for the youngest descendant.
 */
export function pathOfLevel(level: number): SectionPath {
  return level === 0 ? [] : [`${prefix}${level}`];
}

/** Where the transcript of the agent with this prompt stands, when its definition asks for one. */
export function transcriptPath(sections: readonly SectionRange[]): SectionPath {
  return [...pathOfLevel(levelOf(sections)), 'transcript'];
}
