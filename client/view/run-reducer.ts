import { addFigures, type Figures } from '../../domain/budget';
import type { Incident } from '../../domain/operator';
import type { RunEvent } from '../event/record';
import { oneLine } from '../format';
import { AgentDraft, type DraftIncident } from './agent-draft';
import {
  type FindPrice,
  knownPrice,
  noteChildEnd,
  noteOwnEvent,
  pathOf,
  updateSegments,
  waitingFor,
} from './reduce-event';
import type { AgentChange, AgentRow, ViewIncident, ViewSegment, ViewState } from './run-view';

const headlineLength = 200;

/** Changes of a run since they were last taken. */
export interface ReducedChanges {
  readonly rows: readonly AgentChange[];
  /** Paths of agents that had events. */
  readonly touched: readonly string[];
  readonly incidentsChanged: boolean;
}

/**
 * Turns the events of a run into rows of its agents. Apply events in the order of `readEvents`; then read all rows, or take
 * those that have changed since the last time. Needs neither a server nor a clock.
 */
export class RunReducer {
  private readonly drafts = new Map<string, AgentDraft>();
  private readonly sent = new Map<string, AgentRow>();
  private readonly changed = new Set<string>();
  private readonly touched = new Set<string>();
  private readonly details = new Map<string, readonly Incident[]>();
  private sentIncidents = '[]';

  constructor(
    /** What the root was asked to do, in one line. */
    private readonly rootHeadline: string,
    private readonly priceOf: FindPrice = knownPrice,
    /** False for a relay, whose root asks no model. */
    private readonly rootThinks = true,
  ) {}

  /** Notes an event. */
  apply(event: RunEvent): void {
    const path = pathOf(event.agent);
    const at = Date.parse(event.at);
    if (event.kind === 'agent.started') this.begin(path, at);
    const draft = this.drafts.get(path);
    // The host of a shared session is not an agent.
    if (draft === undefined) return;
    const { incidents } = draft;
    const answered = event.kind === 'agent.answered' ? incidents.get(event.incident) : undefined;
    if (isDelegation(event)) this.noteDelegation(draft, event);
    else noteOwnEvent(draft, event, this.priceOf);
    if (event.kind === 'agent.answered' && event.action === 'skip') this.noteSkipped(draft, answered, event.by);
    this.mark(path);
    this.touched.add(path);
  }

  /** Sets the figures of agents that are known more exactly than from events. */
  setFigures(ownOf: (path: string) => Figures | undefined): void {
    for (const draft of this.drafts.values()) {
      const own = ownOf(draft.path);
      if (own === undefined || JSON.stringify(own) === JSON.stringify(draft.stored)) continue;
      draft.stored = own;
      this.mark(draft.path);
    }
  }

  /** Sets the name of an agent's skill or step, and its turn limit. */
  describe(
    path: string,
    facts: { readonly role?: string | null; readonly maxTurns?: number; readonly model?: string },
  ): void {
    const draft = this.drafts.get(path);
    if (draft === undefined) return;
    draft.role = facts.role ?? draft.role;
    draft.maxTurns = facts.maxTurns ?? draft.maxTurns;
    draft.model ??= facts.model ?? null;
    this.mark(path);
  }

  /** Sets what an agent says about its incidents, which is more than events say. */
  setIncidents(path: string, incidents: readonly Incident[]): void {
    this.details.set(path, incidents);
  }

  /** Paths of agents with an open incident that only events have told about. */
  undescribedIncidents(): readonly string[] {
    return [...this.drafts.values()]
      .filter(({ path, incidents }) =>
        [...incidents.keys()].some((id) => this.details.get(path)?.some((known) => known.id === id) !== true),
      )
      .map(({ path }) => path);
  }

  /** Returns all rows, parents before their children. */
  rows(): readonly AgentRow[] {
    const sums = this.sums();
    return [...this.drafts.values()].map((draft) => this.rowOf(draft, sums));
  }

  /** Returns all rows like `rows()`. After that, `take` returns what has changed since. */
  takeAll(): readonly AgentRow[] {
    const rows = this.rows();
    for (const row of rows) this.sent.set(row.path, row);
    for (const draft of this.drafts.values()) draft.isReordered = false;
    this.changed.clear();
    this.touched.clear();
    this.sentIncidents = JSON.stringify(this.incidents());
    return rows;
  }

  /** Returns the open incidents, oldest first. */
  incidents(): readonly ViewIncident[] {
    const open = [...this.drafts.values()].flatMap((draft) =>
      [...draft.incidents.values()].map((incident) => this.incidentOf(draft, incident)),
    );
    const counts = new Map<string, number>();
    for (const { type } of open) counts.set(type, (counts.get(type) ?? 0) + 1);
    return open
      .map((incident) => ({ ...incident, alike: (counts.get(incident.type) ?? 1) - 1 }))
      .sort((a, b) => (a.since < b.since ? -1 : a.since > b.since ? 1 : 0));
  }

  /** Returns what has changed since the last call. Applying all changes in order gives `rows()`. */
  take(): ReducedChanges {
    const sums = this.changed.size === 0 ? new Map<string, Figures>() : this.sums();
    // In the order of the rows, so that a parent is known before its children.
    const drafts = [...this.drafts.values()].filter(({ path }) => this.changed.has(path));
    const rows = drafts.flatMap((draft) => this.changeOf(draft, sums) ?? []);
    const touched = [...this.touched];
    this.changed.clear();
    this.touched.clear();
    const incidents = JSON.stringify(this.incidents());
    const incidentsChanged = incidents !== this.sentIncidents;
    this.sentIncidents = incidents;
    return { rows, touched, incidentsChanged };
  }

  private begin(path: string, at: number): AgentDraft {
    const known = this.drafts.get(path);
    if (known !== undefined) {
      if (known.end !== null) known.restart();
      return known;
    }
    const parent = path === '' ? null : path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
    const draft = new AgentDraft(path, parent, at);
    if (path === '') {
      draft.headline = this.rootHeadline;
      draft.thinks = this.rootThinks;
    }
    this.drafts.set(path, draft);
    return draft;
  }

  private noteDelegation(parent: AgentDraft, event: DelegationEventOf): void {
    if (event.kind === 'delegation.refused') return;
    const at = Date.parse(event.at);
    const path = pathOf(event.child);
    if (event.kind === 'delegation.started' || event.kind === 'delegation.adopted') {
      const child = this.begin(path, at);
      child.headline = event.headline === '' ? child.headline : oneLine(event.headline, headlineLength);
      const { callId, turn, index, size } = event;
      child.batch = callId === null ? null : { callId, turn, index, size };
      if (child.end === null) parent.openChildren.add(path);
    } else {
      const child = this.drafts.get(path);
      if (child !== undefined) noteChildEnd(child, event);
      parent.openChildren.delete(path);
      if (parent.openChildren.size === 0 && !parent.hasToolsLeft) parent.activity = 'thinking';
    }
    this.mark(path);
    this.touched.add(path);
    updateSegments(parent, at);
  }

  /** An operator supplied a result instead of that of a delegation. */
  private noteSkipped({ path }: AgentDraft, incident: DraftIncident | undefined, by: string): void {
    const id = /^delegation (\w+)/.exec(incident?.step ?? '')?.[1];
    if (id === undefined) return;
    const child = [...this.drafts.values()].find(
      (draft) => draft.parent === path && (draft.path.split('/').at(-1) ?? '').startsWith(id),
    );
    if (child === undefined) return;
    child.end = {
      state: 'skipped',
      detail: [child.failure?.type, by === '' ? '' : `by ${by}`].filter(Boolean).join(', '),
    };
    this.mark(child.path);
  }

  /** Marks a row, and those above it, whose sums depend on it. */
  private mark(path: string): void {
    for (let at: string | null = path; at !== null; at = this.drafts.get(at)?.parent ?? null) this.changed.add(at);
  }

  /** What each agent has consumed with its delegations. Children come after their parents. */
  private sums(): ReadonlyMap<string, Figures> {
    const sums = new Map<string, Figures>();
    for (const draft of [...this.drafts.values()].reverse()) {
      const sum = addFigures(draft.own, sums.get(draft.path) ?? zero);
      sums.set(draft.path, sum);
      if (draft.parent !== null) sums.set(draft.parent, addFigures(sums.get(draft.parent) ?? zero, sum));
    }
    return sums;
  }

  private rowOf(draft: AgentDraft, sums: ReadonlyMap<string, Figures>): AgentRow {
    const { path, parent, role, model, failure, turn, maxTurns, own, startedAt, endedAt, batch, segments } = draft;
    return {
      path,
      parent,
      headline: draft.headline === '' ? (role ?? 'agent') : draft.headline,
      role,
      model,
      ...stateOf(draft),
      failure,
      turn,
      maxTurns,
      own,
      withDelegations: sums.get(path) ?? own,
      startedAt,
      endedAt,
      batch,
      segments: [...segments],
      ...(draft.replaced === undefined ? {} : { replaced: draft.replaced }),
    };
  }

  private changeOf(draft: AgentDraft, sums: ReadonlyMap<string, Figures>): AgentChange | undefined {
    const row = this.rowOf(draft, sums);
    const known = this.sent.get(draft.path);
    this.sent.set(draft.path, row);
    if (known === undefined || draft.isReordered) {
      draft.isReordered = false;
      return row;
    }
    const { segments, replaced: _replaced, ...fields } = row;
    const entries = Object.entries(fields).filter(([name, value]) => !isSame(value, known[name as keyof AgentRow]));
    const news = newSegments(segments, known.segments);
    if (entries.length === 0 && news.length === 0) return undefined;
    return { ...Object.fromEntries(entries), path: row.path, ...(news.length === 0 ? {} : { segments: news }) };
  }

  private incidentOf({ path }: AgentDraft, incident: DraftIncident): ViewIncident {
    const known = this.details.get(path)?.find(({ id }) => id === incident.id);
    const base = { attempt: 1, delegation: null, tool: null, ...incident, ...known };
    return { ...base, path, alike: 0 };
  }
}

const zero: Figures = { turns: 0, usage: { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 }, microUsd: 0 };

type DelegationEventOf = Extract<RunEvent, { kind: `delegation.${string}` }>;

function isDelegation(event: RunEvent): event is DelegationEventOf {
  return event.kind.startsWith('delegation.');
}

/** State of an agent, in the order of attention. */
function stateOf(draft: AgentDraft): { readonly state: ViewState; readonly detail: string } {
  if (draft.end !== null) return draft.end;
  const waits = waitingFor(draft) ?? '';
  if (draft.incidents.size > 0) return { state: 'needs you', detail: waits };
  if (draft.isPaused) return { state: 'paused', detail: '' };
  if (draft.isCancelling) return { state: 'running', detail: 'stopping' };
  return draft.openChildren.size > 0
    ? { state: 'waiting', detail: waits }
    : { state: 'running', detail: draft.activity };
}

function isSame(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

/** Segments that are new or have changed. Those at the beginning of both are the same objects. */
function newSegments(now: readonly ViewSegment[], before: readonly ViewSegment[]): readonly ViewSegment[] {
  return now.filter((segment, index) => segment !== before[index]);
}
