import { batch, type Signal, signal } from '@preact/signals';
import type { AgentRow, BudgetView, RelayView, RunRow, RunView, ViewIncident } from '../../client/view/run-view';
import type { AgentChange } from '../protocol';
import { type Counts, moved } from './counts';
import { newAgent, withChange } from './changes';

/** Key of the agents that one tool call started. */
function batchKey(row: Pick<AgentRow, 'parent' | 'batch'>): string | null {
  return row.batch === null || row.batch.size < 2 ? null : `${row.parent ?? ''}|${row.batch.callId}`;
}

/**
 * A run that is shown. Every agent has a signal of its own, so a change redraws its row only. Signals are kept when the run
 * is loaded again: what is selected, open or half-written stays.
 */
export class RunState {
  readonly run: Signal<RunRow>;
  readonly incidents: Signal<readonly ViewIncident[]>;
  readonly relay: Signal<RelayView | null>;
  readonly budget: Signal<BudgetView>;
  readonly gaps: Signal<readonly string[]>;
  /** Increases when agents were added. */
  readonly structure = signal(0);
  /** Increases with every change of any agent. */
  readonly changes = signal(0);
  private readonly agents = new Map<string, Signal<AgentRow>>();
  private readonly children = new Map<string, string[]>();
  /** Number of agents by state: below an agent, by its path, and in a batch, by its key. */
  private readonly counts = new Map<string, Signal<Counts>>();

  constructor(view: RunView) {
    this.run = signal(view.run);
    this.incidents = signal(view.incidents);
    this.relay = signal(view.relay);
    this.budget = signal(view.budget);
    this.gaps = signal(view.gaps);
    this.load(view);
  }

  get runId(): string {
    return this.run.peek().runId;
  }

  /** Takes a newer picture of the whole run. */
  load(view: RunView): void {
    batch(() => {
      this.run.value = view.run;
      this.incidents.value = view.incidents;
      this.relay.value = view.relay;
      this.budget.value = view.budget;
      this.gaps.value = view.gaps;
      this.change(view.agents, 'whole');
    });
  }

  /** Takes what has changed about the run itself. */
  update({
    run,
    relay,
    budget,
    gaps,
  }: Pick<RunView, 'run'> & Partial<Pick<RunView, 'relay' | 'budget' | 'gaps'>>): void {
    this.run.value = run;
    if (relay !== undefined) this.relay.value = relay;
    if (budget !== undefined) this.budget.value = budget;
    if (gaps !== undefined) this.gaps.value = gaps;
  }

  /** Applies changes of agents, and adds those that are new. */
  change(changes: readonly AgentChange[], rows: 'parts' | 'whole' = 'parts'): void {
    batch(() => {
      let added = false;
      for (const change of changes) {
        const agent = this.agents.get(change.path);
        if (agent === undefined) {
          added = true;
          this.add(newAgent(change));
          continue;
        }
        const before = agent.peek();
        agent.value = rows === 'whole' ? newAgent(change) : withChange(before, change);
        if (agent.peek().state !== before.state) this.count(agent.peek(), before.state);
      }
      if (added) this.structure.value++;
      if (changes.length > 0) this.changes.value++;
    });
  }

  /** The agent with this path; undefined if there is none. */
  agent(path: string): Signal<AgentRow> | undefined {
    return this.agents.get(path);
  }

  /** The agent as it is now, without following its changes. */
  row(path: string): AgentRow | undefined {
    return this.agents.get(path)?.peek();
  }

  /** All agents, parents before children. */
  all(): Iterable<Signal<AgentRow>> {
    return this.agents.values();
  }

  get size(): number {
    return this.agents.size;
  }

  /** Paths of the agents that this one delegated to, in the order in which they were asked for. */
  childrenOf(path: string): readonly string[] {
    return this.children.get(path) ?? [];
  }

  /** Number of agents by state: below the agent with this path, or of the batch with this key. */
  countsOf(key: string): Signal<Counts> {
    const found = this.counts.get(key) ?? signal<Counts>({});
    this.counts.set(key, found);
    return found;
  }

  private add(row: AgentRow): void {
    this.agents.set(row.path, signal(row));
    if (row.parent !== null) {
      const siblings = this.children.get(row.parent) ?? [];
      siblings.push(row.path);
      this.children.set(row.parent, siblings);
    }
    this.count(row, null);
  }

  private count(row: AgentRow, before: AgentRow['state'] | null): void {
    const key = batchKey(row);
    if (key !== null) this.move(key, before, row.state);
    let above = row.parent;
    while (above !== null) {
      this.move(above, before, row.state);
      above = this.agents.get(above)?.peek().parent ?? null;
    }
  }

  private move(key: string, from: AgentRow['state'] | null, to: AgentRow['state']): void {
    const counts = this.countsOf(key);
    counts.value = moved(counts.peek(), from, to);
  }
}
