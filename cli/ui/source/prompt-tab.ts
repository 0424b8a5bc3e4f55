import { LRUCache } from 'lru-cache';
import { createHash } from 'node:crypto';
import { extractParent, formatSectionPath, indexOfBytes, type SectionRange, startMarker } from '../../../domain/prompt';
import type { BlobRef, RunStore } from '../../../domain/store';
import type { PromptView } from '../../../page/protocol';
import { assemblePrompt, getPromptLayout, loadPrompt } from '../../../store/prompts';

type Section = PromptView['sections'][number];

const decoder = new TextDecoder('utf-8');

/** Maximum bytes of parents' prompts that are kept in memory. */
const maxKeptBytes = 8 * 1024 * 1024;

/** Reads the prompts of a run's agents. That of a parent is loaded once for all its children. */
export class PromptViews {
  private readonly parents = new LRUCache<string, Uint8Array>({ maxSize: maxKeptBytes });

  constructor(private readonly store: RunStore) {}

  /** Reads a prompt, cut into sections whose texts together are its bytes. */
  async read(ref: BlobRef, parentPath: string | null): Promise<PromptView> {
    const { origin, sections } = await getPromptLayout(this.store, ref, 'page');
    const bytes = await assemblePrompt(this.store, { prompt: ref, origin }, 'page', (parent) => this.parent(parent));
    const embedded = origin.kind === 'composed' && parentPath !== null ? embeddedIn(bytes) : undefined;
    return {
      hash: ref.hash,
      bytes: bytes.length,
      isIntact: createHash('sha256').update(bytes).digest('hex') === ref.hash,
      sections: cut(bytes, sections, embedded === undefined ? undefined : { ...embedded, path: parentPath ?? '' }),
    };
  }

  private async parent(ref: BlobRef): Promise<Uint8Array> {
    const bytes = this.parents.get(ref.hash) ?? (await loadPrompt(this.store, ref, 'page'));
    this.parents.set(ref.hash, bytes, { size: bytes.length + 1 });
    return bytes;
  }
}

interface Embedded {
  readonly start: number;
  readonly end: number;
  /** Path of the agent whose prompt it is. */
  readonly path: string;
}

/** Finds the prompt of the parent; undefined if there is none. */
function embeddedIn(bytes: Uint8Array): Omit<Embedded, 'path'> | undefined {
  if (indexOfBytes(bytes, new TextEncoder().encode(startMarker), 0) === -1) return undefined;
  try {
    const parent = extractParent(bytes);
    const start = parent.byteOffset - bytes.byteOffset;
    return { start, end: start + parent.length };
  } catch {
    return undefined;
  }
}

/** Cuts a prompt at the beginnings of its own sections, and around the embedded prompt. */
function cut(bytes: Uint8Array, ranges: readonly SectionRange[], parent: Embedded | undefined): Section[] {
  const isInside = (at: number): boolean => parent !== undefined && at >= parent.start && at < parent.end;
  const ids = new Map(
    ranges.filter(({ start }) => !isInside(start)).map(({ start, path }) => [start, formatSectionPath(path)]),
  );
  const places = new Set([0, ...ids.keys(), ...(parent === undefined ? [] : [parent.start, parent.end])]);
  const starts = [...places].filter((at) => at < bytes.length).sort((a, b) => a - b);
  const pieces = starts.map((start, index) => ({ start, end: starts[index + 1] ?? bytes.length }));
  return pieces.map(({ start, end }, index): Section => {
    const text = decoder.decode(bytes.subarray(start, end));
    if (start === parent?.start)
      return {
        id: 'parent-prompt',
        title: 'Parent prompt',
        level: 2,
        text,
        parent: { path: parent.path, bytes: end - start },
      };
    const id = ids.get(start) ?? (start === parent?.end ? 'after-parent-prompt' : `part-${index + 1}`);
    return { id, ...headingOf(text, id), text };
  });
}

/** The first line, if it is a heading. */
function headingOf(text: string, id: string): Pick<Section, 'title' | 'level'> {
  const found = /^\s*(#{1,6}) +(.+)/.exec(text);
  return { title: found?.[2]?.trim() ?? id, level: found?.[1]?.length ?? 1 };
}
