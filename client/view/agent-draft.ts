import { addFigures, type Figures, noFigures } from '../../domain/budget';
import { costOf, type Price, type Usage } from '../../domain/model';
import type { AgentRow, ViewSegment, ViewState } from './run-view';

/** How an agent ended. */
interface DraftEnd {
  readonly state: ViewState;
  readonly detail: string;
}

/** An incident as an event describes it. */
export interface DraftIncident {
  readonly id: string;
  readonly kind: 'failure' | 'toolRequest' | 'approval' | 'question';
  readonly type: string;
  readonly message: string;
  readonly step: string;
  readonly since: string;
}

/** What the tool calls of a turn have in common: they are drawn as one segment. */
interface ToolRound {
  left: number;
  from: number;
  to: number;
  isError: boolean;
  readonly names: Set<string>;
}

/** An agent while its events are read. */
export class AgentDraft {
  headline = '';
  role: string | null = null;
  model: string | null = null;
  endedAt: number | null = null;
  end: DraftEnd | null = null;
  failure: AgentRow['failure'] = null;
  activity = 'starting';
  /** Whether it asks a model. */
  thinks = true;
  isPaused = false;
  isCancelling = false;
  turn = 0;
  maxTurns: number | null = null;
  batch: AgentRow['batch'] = null;
  /** Name of the operator who supplied its result; undefined unless one did. */
  skippedBy: string | undefined;
  /** Figures of the store, which are more exact than those of the events; undefined when it can't be read. */
  stored: Figures | undefined;
  segments: ViewSegment[] = [];
  replaced: ViewSegment[] | undefined;
  /** Set when segments were taken away, so that all of them must be sent. */
  isReordered = false;
  readonly incidents = new Map<string, DraftIncident>();
  /** Paths of children that have not ended. */
  readonly openChildren = new Set<string>();
  private counted: Figures[] = [];
  private before = noFigures;
  private round: ToolRound | undefined;

  constructor(
    readonly path: string,
    readonly parent: string | null,
    public startedAt: number,
  ) {}

  /** What it has consumed without its delegations. */
  get own(): Figures {
    return this.stored ?? this.counted.reduce(addFigures, this.before);
  }

  /** A failed delegation that is retried continues under the same id. */
  restart(): void {
    this.before = this.counted.reduce(addFigures, this.before);
    this.counted = [];
    this.reopen();
  }

  /** The agent continues after its end was taken back. */
  reopen(): void {
    this.end = null;
    this.endedAt = null;
    this.failure = null;
    this.isCancelling = false;
    this.activity = 'thinking';
  }

  /** Begins a period whose end is not known yet. */
  open(kind: ViewSegment['kind'], from: number, label: string): void {
    if (this.openSegment(kind) !== undefined) return;
    const turn = kind === 'model' ? this.turn + 1 : this.turn === 0 ? null : this.turn;
    this.segments.push({ kind, from, to: null, turn, label, isError: false });
  }

  /** Ends the open period of a kind, with what is known about it now. */
  close(kind: ViewSegment['kind'], to: number, facts: Partial<ViewSegment> = {}): void {
    const open = this.openSegment(kind);
    const turn = this.turn === 0 ? null : this.turn;
    const base: ViewSegment = open ?? { kind, from: to, to, turn, label: '', isError: false };
    const from = Math.min(facts.from ?? base.from, to);
    const closed = { ...base, ...facts, from, to };
    const known = open ?? this.segments.filter((segment) => segment.kind === kind && segment.from === from).at(-1);
    if (known === undefined) this.segments.push(closed);
    else this.segments[this.segments.lastIndexOf(known)] = closed;
  }

  /** Ends everything that is open. */
  closeAll(at: number): void {
    for (const { kind } of this.segments.filter(({ to }) => to === null)) this.close(kind, at);
    this.round = undefined;
  }

  openSegment(kind: ViewSegment['kind']): ViewSegment | undefined {
    // From the end: an agent may have thousands of segments, and only its last ones can be open.
    for (let at = this.segments.length - 1; at >= 0; at -= 1) {
      const segment = this.segments[at];
      if (segment?.kind === kind) return segment.to === null ? segment : undefined;
    }
    return undefined;
  }

  /** Counts a turn. One that was taken before was taken back by a reset, with everything after it. */
  countTurn(turn: number, usage: Usage, price: Price | undefined): void {
    if (turn <= this.counted.length) this.takeBack(turn);
    this.counted[turn - 1] = { turns: 1, usage, microUsd: price === undefined ? null : costOf(price, usage) };
    for (let at = 0; at < turn; at += 1) this.counted[at] ??= noFigures;
    this.turn = turn;
  }

  private takeBack(turn: number): void {
    const isBack = (segment: ViewSegment): boolean => segment.to !== null && (segment.turn ?? 0) >= turn;
    this.replaced = [...(this.replaced ?? []), ...this.segments.filter(isBack)];
    this.segments = this.segments.filter((segment) => !isBack(segment));
    this.counted.length = turn - 1;
    this.isReordered = true;
  }

  /** Begins the tool calls of a turn. */
  beginTools(names: readonly string[], at: number): void {
    if (names.length === 0) return;
    this.round = { left: names.length, from: Infinity, to: at, isError: false, names: new Set(names) };
    this.activity = 'running tools';
    this.open('tool', at, [...this.round.names].join(', '));
  }

  /** The calls wait for an operator: what they did before is one segment, and waiting is not their work. */
  suspendTools(at: number): void {
    const { round } = this;
    if (round === undefined || this.openSegment('tool') === undefined) return;
    if (Number.isFinite(round.from)) this.drawEnded(round);
    else this.close('tool', at);
  }

  /** Draws the calls that have ended apart from those that are left. */
  private drawEnded(round: ToolRound): void {
    this.close('tool', round.to, { from: round.from, isError: round.isError, label: [...round.names].join(', ') });
    Object.assign(round, { from: Infinity, isError: false });
  }

  /** The remaining calls continue. */
  resumeTools(at: number): void {
    const { round } = this;
    if (round === undefined || this.openSegment('tool') !== undefined) return;
    round.to = at;
    this.open('tool', at, [...round.names].join(', '));
  }

  /** Whether tool calls of the last turn have not ended, other than those that start agents. */
  get hasToolsLeft(): boolean {
    return this.round !== undefined;
  }

  /** Notes the end of a tool call. */
  endTool({ from, to, isError }: { readonly from: number; readonly to: number; readonly isError: boolean }): void {
    const { round } = this;
    if (round === undefined) return;
    round.left -= 1;
    round.from = Math.min(round.from, from);
    round.to = Math.max(round.to, to);
    round.isError ||= isError;
    if (round.left === 0) this.finishTools();
    else if (this.openSegment('tool') === undefined) this.drawEnded(round);
  }

  /** Ends the tool calls of a turn, also if some of them were not heard of. */
  finishTools(): void {
    const { round } = this;
    if (round === undefined) return;
    this.round = undefined;
    const from = Number.isFinite(round.from) ? { from: round.from } : {};
    // Calls that waited and were never run have no segment of their own.
    if (!('from' in from) && this.openSegment('tool') === undefined) return;
    this.close('tool', round.to, { ...from, isError: round.isError, label: [...round.names].join(', ') });
  }
}
