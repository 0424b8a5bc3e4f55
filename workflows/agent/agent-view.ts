import { setCurrentDetails, setHandler, upsertSearchAttributes } from '@temporalio/workflow';
import type { AgentFiles, AgentProgress, AgentSettings, RunStatus, StatusSnapshot } from '../../domain/agent';
import { nothingSpent } from '../../domain/budget';
import { noUsage } from '../../domain/model';
import { artifactsSlice, recordsOf } from '../../domain/session';
import { searchAttributes } from '../../temporal-config/search-attributes';
import { filesQuery, sessionQuery, snapshotQuery } from '../messages';
import type { OperatorInbox } from '../operator/operator-inbox';
import type { Agent } from './agent';
import { currentDetails } from './current-details';

type IndexedStatus = 'paused' | 'needs_operator' | undefined;

/** Publishes an agent's state through queries, the Web UI's current details and search attributes. */
export class AgentView {
  private status: RunStatus = 'starting';
  private waitingFor = 'its prompt';
  /** Current value of the status search attribute: unset unless the agent waits for a person. */
  private indexed: IndexedStatus;
  private isClosed = false;

  constructor(
    private readonly base: AgentSettings,
    private readonly desk: OperatorInbox,
    private readonly agent: () => Agent | undefined,
    isLater: boolean,
  ) {
    // Continue-as-new keeps the search attributes.
    if (desk.state.paused && isLater) this.indexed = 'paused';
    desk.onChange = () => {
      this.refresh();
    };
    setHandler(snapshotQuery, () => this.snapshot(), {
      description:
        'The status of the agent: turn, tokens spent, context usage, open incidents, and what it is waiting for.',
    });
    setHandler(sessionQuery, () => this.progress?.session ?? { version: 0, slices: {} }, {
      description: 'The session of the agent: its plan, notes, artifacts, changed files and tool calls.',
    });
    setHandler(filesQuery, () => this.files(), {
      description: 'The workspace and the artifacts of the agent, as refs into the store.',
    });
  }

  /** Called once the agent is opened. Until then a root has no search attributes. */
  begin(isFreshRoot: boolean): void {
    if (isFreshRoot) this.indexRoot();
    this.refresh();
  }

  /** Publishes what the agent is doing now. */
  show(status: RunStatus, waitingFor: string): void {
    this.status = status;
    this.waitingFor = waitingFor;
    setCurrentDetails(currentDetails(this.snapshot()));
  }

  /** Publishes a change in pausing or incidents, which also changes the status search attribute. */
  private refresh(): void {
    setCurrentDetails(currentDetails(this.snapshot()));
    const { incidents, state } = this.desk;
    if (!this.isClosed) this.index(incidents.length > 0 ? 'needs_operator' : state.paused ? 'paused' : undefined);
  }

  /** Publishes how the agent ended. Nothing is published afterwards. */
  close(status: 'completed' | 'failed' | 'cancelled'): void {
    this.isClosed = true;
    this.show(status, '');
    this.index(undefined);
  }

  /**
   * The server itself indexes whether an execution is running and how it ended. Repeating that at the end of every
   * delegation would add a sixth to the duration of a batch of short ones.
   */
  private index(status: IndexedStatus): void {
    if (status === this.indexed || this.progress?.opened.searchAttributes !== true) return;
    this.indexed = status;
    upsertSearchAttributes([{ key: searchAttributes.status, value: status ?? null }]);
  }

  private indexRoot(): void {
    const opened = this.progress?.opened;
    if (opened?.searchAttributes !== true) return;
    upsertSearchAttributes([
      { key: searchAttributes.run, value: this.base.runId },
      { key: searchAttributes.depth, value: 0 },
      { key: searchAttributes.prompt, value: opened.prompt.hash },
    ]);
  }

  private get progress(): AgentProgress | undefined {
    return this.agent()?.progress;
  }

  private snapshot(): StatusSnapshot {
    const { runId, limits, model, budget } = this.agent()?.settings ?? this.base;
    const { progress, desk } = this;
    return {
      runId,
      status: this.statusNow(),
      turn: progress?.calls ?? 0,
      maxTurns: limits.maxTurns,
      model: model.name,
      usage: progress?.ledger.own.usage ?? noUsage,
      delegatedUsage: progress?.ledger.delegated.usage ?? noUsage,
      delegations: progress?.delegations ?? 0,
      occupancy: progress?.occupancy ?? 0,
      window: model.window,
      waitingFor: this.waitingFor,
      storeId: progress?.opened.storeId ?? null,
      prompt: progress?.opened.prompt ?? null,
      transcript: progress?.head ?? null,
      skill: progress?.opened.skill ?? null,
      paused: desk.state.paused,
      incidents: desk.incidents,
      parkedBelow: desk.parkedBelow,
      decisions: desk.state.decisions,
      handoffs: progress?.handoffs ?? [],
      spent: progress?.ledger.own ?? nothingSpent,
      budget: progress?.ledger.allowance ?? budget ?? null,
      injectedTokens: progress?.opened.injectedTokens ?? 0,
      activeTokens: progress?.activeTokens ?? 0,
    };
  }

  private statusNow(): RunStatus {
    if (this.isClosed) return this.status;
    if (this.desk.incidents.length > 0) return 'needs operator';
    return this.desk.state.paused ? 'paused' : this.status;
  }

  private files(): AgentFiles {
    const { progress } = this;
    if (progress === undefined) return { workspace: null, artifacts: [] };
    const artifacts = recordsOf(progress.session, artifactsSlice).map(({ name, ref }) => ({ name, ref }));
    return { workspace: progress.workspace, artifacts };
  }
}
