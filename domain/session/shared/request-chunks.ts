import type { ChangeVerdict, RequestedChange } from '../turn';

/** All or some of the changes requested by one tool call, small enough for one request. */
interface Part {
  /** Index of the tool call within the turn. */
  readonly index: number;
  readonly wanted: RequestedChange;
}

/** Maximum JSON characters of the requested changes in one request, leaving space for its other fields. */
const portionSize = 20_000;

/**
 * Splits a turn's requested changes into chunks that are sent one after the other. Each call stays whole if it fits. A
 * larger call, such as a batch that records hundreds of outputs, is split by events: its file changes are all in the
 * first part, and the tool call itself is recorded with the last.
 */
export function splitIntoRequests(wanted: readonly RequestedChange[]): readonly (readonly Part[])[] {
  const portions: Part[][] = [];
  let room = 0;
  for (const part of wanted.flatMap(partsOf)) {
    const size = JSON.stringify(part.wanted).length;
    const last = portions.at(-1);
    // Parts of one call are never sent together, because the verdict on one part decides whether the next is sent.
    const fits = last !== undefined && size <= room && last.at(-1)?.index !== part.index;
    if (fits) last.push(part);
    else portions.push([part]);
    room = (fits ? room : portionSize) - size;
  }
  return portions;
}

function partsOf(wanted: RequestedChange, index: number): readonly Part[] {
  if (JSON.stringify(wanted).length <= portionSize) return [{ index, wanted }];
  const groups: RequestedChange['events'][number][][] = [[]];
  let room = portionSize - JSON.stringify({ ...wanted, events: [] }).length;
  for (const event of wanted.events) {
    const size = JSON.stringify(event).length + 1;
    if (size > room && groups.at(-1)?.length !== 0) {
      groups.push([]);
      room = portionSize - JSON.stringify({ ...wanted, changes: [], events: [] }).length;
    }
    groups.at(-1)?.push(event);
    room -= size;
  }
  return groups.map((events, place) => {
    const { changes, tool } = wanted;
    const isLast = place === groups.length - 1;
    return { index, wanted: { ...wanted, tool: isLast ? tool : null, changes: place === 0 ? changes : [], events } };
  });
}

/** Collects the verdicts on each call while its parts are sent one after the other. */
export class VerdictCollector {
  private readonly known: ChangeVerdict[];

  constructor(calls: number) {
    this.known = Array.from({ length: calls }, () => ({}));
  }

  /**
   * Returns the changes to send for a part. Once a part was refused, the rest of its call only records the failed tool
   * call.
   */
  remaining({ index, wanted }: Part): RequestedChange {
    if (this.known[index]?.complaint === undefined) return wanted;
    return { ...wanted, isError: true, changes: [], events: [] };
  }

  /** Adds the verdicts on the parts of one request. */
  add(portion: readonly Part[], verdicts: readonly ChangeVerdict[]): void {
    portion.forEach(({ index }, place) => {
      this.known[index] = joined(this.known[index] ?? {}, verdicts[place] ?? {});
    });
  }

  /** Returns one verdict per call. */
  collected(): readonly ChangeVerdict[] {
    return this.known;
  }
}

function joined(before: ChangeVerdict, now: ChangeVerdict): ChangeVerdict {
  const complaint = joinTexts(before.complaint, now.complaint, '\n');
  const remark = joinTexts(before.remark, now.remark, ' ');
  return { ...(complaint === undefined ? {} : { complaint }), ...(remark === undefined ? {} : { remark }) };
}

function joinTexts(one: string | undefined, other: string | undefined, between: string): string | undefined {
  return one === undefined || other === undefined ? (one ?? other) : `${one}${between}${other}`;
}
