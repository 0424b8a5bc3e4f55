import { utf8 } from '../kernel';
import type { SectionPath, SectionRange } from './sections';

/** A section with its final text, ready to be laid out. */
export interface SectionNode {
  readonly key: string;
  readonly title: string;
  readonly body: string;
  readonly children?: readonly SectionNode[];
  /** No empty line between heading and body. */
  readonly tight?: boolean;
}

/** Sections as markdown, with their byte ranges. */
export interface SectionLayout {
  readonly text: string;
  readonly byteLength: number;
  readonly sections: readonly SectionRange[];
}

interface Place {
  /** Level of the outermost headings. The deepest level in markdown is 6. */
  readonly level: number;
  readonly path: SectionPath;
  /** Whether other text follows. Then the last section also ends with an empty line. */
  readonly followed?: boolean;
}

/** Renders sections as markdown and records the byte range of each, including its children and the empty line after it. */
export function layOut(nodes: readonly SectionNode[], place: Place): SectionLayout {
  const writer = new Writer();
  writeAll(nodes, place, writer);
  return { text: writer.text(), byteLength: writer.byteLength, sections: writer.sections() };
}

function writeAll(nodes: readonly SectionNode[], { level, path, followed = false }: Place, writer: Writer): void {
  nodes.forEach((node, index) => {
    const sectionPath = [...path, node.key];
    const close = writer.open(sectionPath);
    writer.write(`${'#'.repeat(Math.min(level, 6))} ${node.title}\n`);
    if (node.body !== '') writer.write(`${node.tight === true ? '' : '\n'}${node.body}\n`);
    if (node.children !== undefined && node.children.length > 0) {
      writer.write('\n');
      writeAll(node.children, { level: level + 1, path: sectionPath }, writer);
    }
    if (followed || index < nodes.length - 1) writer.write('\n');
    close();
  });
}

class Writer {
  private readonly pieces: string[] = [];
  private readonly ranges: { path: SectionPath; start: number; end: number }[] = [];
  private offset = 0;

  write(piece: string): void {
    this.pieces.push(piece);
    this.offset += utf8(piece).length;
  }

  /** Begins a section; the returned function ends it. Sections are listed in order of their start, outer before inner. */
  open(path: SectionPath): () => void {
    const range = { path, start: this.offset, end: this.offset };
    this.ranges.push(range);
    return () => {
      range.end = this.offset;
    };
  }

  get byteLength(): number {
    return this.offset;
  }

  text(): string {
    return this.pieces.join('');
  }

  sections(): SectionRange[] {
    return this.ranges;
  }
}

const prefix = 'delegation-';

/** Returns the delegation depth of a prompt from its section index: 0 for the prompt of a root agent. */
export function promptDepth(sections: readonly Pick<SectionRange, 'path'>[]): number {
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
