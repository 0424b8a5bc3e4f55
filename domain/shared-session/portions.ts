import type { TurnVerdict, WantedChange } from '../agent/apply-turn';

/** Some or all of what one call wants changed, small enough for one request. */
interface Part {
  /** Which of the wanted changes it belongs to. */
  readonly index: number;
  readonly wanted: WantedChange;
}

/** So much fits beside the other fields of one request, in characters of JSON. */
const portionSize = 20_000;

/**
 * What a turn wants changed, as requests that go one after the other. Calls are kept whole as long as they fit. One that
 * doesn't (a batch that records hundreds of outputs) is spread over several requests: its files go with the first part, so
 * that they stay together, and its use of the tool is noted with the last.
 */
export function portionsOf(wanted: readonly WantedChange[]): readonly (readonly Part[])[] {
  const portions: Part[][] = [];
  let room = 0;
  for (const part of wanted.flatMap(partsOf)) {
    const size = JSON.stringify(part.wanted).length;
    const last = portions.at(-1);
    // Parts of one call never go together: what became of the one decides about the next.
    const fits = last !== undefined && size <= room && last.at(-1)?.index !== part.index;
    if (fits) last.push(part);
    else portions.push([part]);
    room = (fits ? room : portionSize) - size;
  }
  return portions;
}

function partsOf(wanted: WantedChange, index: number): readonly Part[] {
  if (JSON.stringify(wanted).length <= portionSize) return [{ index, wanted }];
  const groups: WantedChange['events'][number][][] = [[]];
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

/** What became of the calls so far, while their parts are answered one after the other. */
export class Verdicts {
  private readonly known: TurnVerdict[];

  constructor(calls: number) {
    this.known = Array.from({ length: calls }, () => ({}));
  }

  /** Once a part has been refused, the rest of its call is left out; only that the tool was used, in vain, is still noted. */
  toSend({ index, wanted }: Part): WantedChange {
    if (this.known[index]?.complaint === undefined) return wanted;
    return { ...wanted, isError: true, changes: [], events: [] };
  }

  add(portion: readonly Part[], verdicts: readonly TurnVerdict[]): void {
    portion.forEach(({ index }, place) => {
      this.known[index] = joined(this.known[index] ?? {}, verdicts[place] ?? {});
    });
  }

  all(): readonly TurnVerdict[] {
    return this.known;
  }
}

function joined(before: TurnVerdict, now: TurnVerdict): TurnVerdict {
  const complaint = words(before.complaint, now.complaint, '\n');
  const remark = words(before.remark, now.remark, ' ');
  return { ...(complaint === undefined ? {} : { complaint }), ...(remark === undefined ? {} : { remark }) };
}

function words(one: string | undefined, other: string | undefined, between: string): string | undefined {
  return one === undefined || other === undefined ? (one ?? other) : `${one}${between}${other}`;
}
