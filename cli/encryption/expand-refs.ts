import { type BlobRef, blobRefSchema } from '../../domain/store';
import { type Contents, textIn } from './contents';

/** Where the rest of a content can be fetched. */
export type LinkTo = (runId: string, ref: BlobRef) => string;

/** Characters of a content that are shown. The Web UI shows a whole event on one page. */
const shownCharacters = 4_000;
/** References that are looked up in one payload. */
const maxRefs = 20;
/** Levels of a value that are looked through. Baton's have a few; others may be nested without end. */
const maxDepth = 40;

/**
 * Adds to every reference in a value what it points to: the beginning of a text, and an address of the rest. Nothing else
 * is changed. References that no run has, or that are not text, stay as they are.
 */
export class RefExpander {
  private left = maxRefs;

  constructor(
    private readonly contents: Contents,
    private readonly mentioned: readonly string[],
    private readonly linkTo: LinkTo,
  ) {}

  /** Whether a reference was found. If not, the value is what it was. */
  get hasFound(): boolean {
    return this.left < maxRefs;
  }

  async expand(value: unknown, depth = 0): Promise<unknown> {
    if (typeof value !== 'object' || value === null || depth > maxDepth) return value;
    if (Array.isArray(value)) return this.all(value as unknown[], depth);
    const ref = blobRefSchema.safeParse(value);
    if (ref.success) return { ...ref.data, ...(await this.shown(ref.data)) };
    const names = Object.keys(value);
    const values = await this.all(Object.values(value), depth);
    return Object.fromEntries(names.map((name, at) => [name, values[at]]));
  }

  /** One after the other, so that the first references are those that are shown. */
  private async all(values: readonly unknown[], depth: number): Promise<unknown[]> {
    const expanded: unknown[] = [];
    for (const value of values) expanded.push(await this.expand(value, depth + 1));
    return expanded;
  }

  private async shown(ref: BlobRef): Promise<{ content?: string; rest?: string }> {
    if (this.left-- <= 0) return {};
    const found = await this.contents.find(ref, this.mentioned).catch(() => undefined);
    const shown = found === undefined ? undefined : textIn(found.bytes, shownCharacters);
    if (found === undefined || shown === undefined) return {};
    return { content: shown.text, ...(shown.isCut ? { rest: this.linkTo(found.runId, ref) } : {}) };
  }
}

/** Returns the ids of runs that a value mentions. */
export function* runsIn(value: unknown, depth = 0): Generator<string> {
  if (typeof value !== 'object' || value === null || depth > maxDepth) return;
  for (const [name, part] of Object.entries(value)) {
    if (name === 'runId' && typeof part === 'string') yield part;
    else yield* runsIn(part, depth + 1);
  }
}
