import type { BlobRef } from '../../domain/store';
import type { AgentRecord, RecordedStep } from './agent-record';
import type { ChainLinks, KnownLink } from './chain-links';

/** A link at its place among the entries of an agent. */
export interface PlacedLink {
  readonly kind: 'link';
  readonly link: KnownLink;
  /** Position of its first entry. */
  readonly position: number;
  /** Number of its turn; of an opening, that of the turn before it. */
  readonly turn: number;
  /** Name of the model that was called. */
  readonly model: string;
  /** Number of handoffs before it. */
  readonly handoffs: number;
  /** Set if a reset took the turn back: 1 for its oldest version. */
  readonly replaced?: number;
}

/** Something between turns, at its place. */
export interface PlacedMark {
  readonly kind: 'mark';
  readonly position: number;
  readonly step: Exclude<RecordedStep, { kind: 'turn' }>;
}

export type Placed = PlacedLink | PlacedMark;

/** A link, and what follows from those before it. */
type Numbered = Omit<PlacedLink, 'kind' | 'position'>;

/** Puts the links of an agent, also those that a reset took back, and what happened in between in their order. */
export async function placeLinks(
  links: ChainLinks,
  head: BlobRef | undefined,
  record: Pick<AgentRecord, 'steps'>,
): Promise<readonly Placed[]> {
  const chain = head === undefined ? [] : await links.upTo(head);
  const current = numbered(chain);
  const placeInChain = new Map(current.map(({ link }, index) => [link.ref.hash, index]));
  const order = new Order();
  let next = 0;
  const addUpTo = (end: number): void => {
    for (; next < end; next += 1) order.addLink(current[next]);
  };
  for (const step of record.steps(chain)) {
    if (step.kind !== 'turn') {
      // Nothing happens before the opening.
      addUpTo(Math.max(next, 1));
      order.addMark(step);
      continue;
    }
    const isTakenBack = !placeInChain.has(step.head.hash);
    // What was taken back may be gone.
    const path = isTakenBack ? numbered(await links.upTo(step.head).catch(() => [])) : [];
    const shared = isTakenBack ? path.map(({ link }) => link.ref.hash) : [step.head.hash];
    addUpTo(Math.max(next, ...shared.map((hash) => (placeInChain.get(hash) ?? -1) + 1)));
    order.addReplaced(path);
  }
  addUpTo(current.length);
  return order.placed;
}

/** Counts turns and handoffs, and follows changes of the model. */
function numbered(links: readonly KnownLink[]): readonly Numbered[] {
  let turn = 0;
  let model = '';
  let handoffs = 0;
  return links.map((link) => {
    if (link.index > 0) turn += 1;
    if (link.previous !== undefined) handoffs += 1;
    model = link.model ?? model;
    return { link, turn, model, handoffs };
  });
}

class Order {
  readonly placed: Placed[] = [];
  private position = 0;
  private readonly added = new Set<string>();
  /** Number of versions of a turn that were taken back. */
  private readonly versions = new Map<number, number>();

  addLink(one: Numbered | undefined): void {
    if (one === undefined || this.added.has(one.link.ref.hash)) return;
    this.added.add(one.link.ref.hash);
    this.placed.push({ kind: 'link', position: this.position, ...one });
    this.position += one.link.entries;
  }

  addReplaced(path: readonly Numbered[]): void {
    for (const one of path) {
      if (this.added.has(one.link.ref.hash)) continue;
      const version = (this.versions.get(one.turn) ?? 0) + Number(one.link.index > 0);
      this.versions.set(one.turn, version);
      this.addLink(one.link.index === 0 ? one : { ...one, replaced: version });
    }
  }

  addMark(step: PlacedMark['step']): void {
    this.placed.push({ kind: 'mark', position: this.position, step });
    this.position += 1;
  }
}
