import { setCurrentDetails, setHandler, upsertSearchAttributes } from '@temporalio/workflow';
import type { AgentSettings } from '../domain/agent/settings';
import { nothingSpent } from '../domain/budget/allowance';
import { noUsage, totalTokens } from '../domain/model/usage';
import type { AgentProgress } from '../domain/run/progress';
import type { AgentFiles, RunSnapshot, RunStatus } from '../domain/run/result';
import { artifactsSlice, recordsOf } from '../domain/session';
import { searchAttributes } from '../temporal-config/search-attributes';
import { filesQuery, sessionQuery, snapshotQuery } from './messages';

/** What the outside sees of an agent: the answers to queries, the current details in the Web UI, the search attributes. */
export class AgentView {
  private status: RunStatus = 'starting';
  private waitingFor = 'its prompt';

  constructor(
    private readonly settings: AgentSettings,
    private readonly progress: () => AgentProgress | undefined,
  ) {
    setHandler(snapshotQuery, () => this.snapshot(), {
      description: 'Where the agent stands: status, turn, tokens spent, tokens of the window, what it waits for.',
    });
    setHandler(sessionQuery, () => this.progress()?.session ?? { version: 0, slices: {} }, {
      description: 'The session of the agent: its plan, notes, artifacts, changed files and tool calls.',
    });
    setHandler(filesQuery, () => this.files(), {
      description: 'The workspace and the artifacts of the agent, as refs into the store.',
    });
  }

  show(status: RunStatus, waitingFor: string): void {
    this.status = status;
    this.waitingFor = waitingFor;
    setCurrentDetails(currentDetails(this.snapshot()));
  }

  close(status: 'completed' | 'failed' | 'cancelled'): void {
    this.show(status, '');
    this.index(status);
  }

  /** Only on a change of status, since each write is an event in history. */
  index(status: 'running' | 'completed' | 'failed' | 'cancelled', depth?: number): void {
    if (this.progress()?.opened.searchAttributes !== true) return;
    const root =
      depth === undefined
        ? []
        : [
            { key: searchAttributes.run, value: this.settings.runId },
            { key: searchAttributes.depth, value: depth },
          ];
    upsertSearchAttributes([...root, { key: searchAttributes.status, value: status }]);
  }

  private snapshot(): RunSnapshot {
    const { runId, limits, model } = this.settings;
    const progress = this.progress();
    return {
      runId,
      status: this.status,
      turn: progress?.calls ?? 0,
      maxTurns: limits.maxTurns,
      model: model.name,
      usage: progress?.usage ?? noUsage,
      delegatedUsage: progress?.delegatedUsage ?? noUsage,
      delegations: progress?.delegations ?? 0,
      occupancy: progress?.occupancy ?? 0,
      window: model.window,
      waitingFor: this.waitingFor,
      storeId: progress?.opened.storeId ?? null,
      prompt: progress?.opened.prompt ?? null,
      transcript: progress?.head ?? null,
      skill: null,
      paused: false,
      incidents: [],
      parkedBelow: 0,
      decisions: [],
      handoffs: [],
      spent: nothingSpent,
      budget: null,
      injectedTokens: 0,
      activeTokens: 0,
    };
  }

  private files(): AgentFiles {
    const progress = this.progress();
    if (progress === undefined) return { workspace: null, artifacts: [] };
    const artifacts = recordsOf(progress.session, artifactsSlice).map(({ name, ref }) => ({ name, ref }));
    return { workspace: progress.workspace, artifacts };
  }
}

function currentDetails(snapshot: RunSnapshot): string {
  const { status, waitingFor, turn, maxTurns, occupancy, window, usage, delegatedUsage, delegations, transcript } =
    snapshot;
  const share = Math.round((occupancy / window) * 100);
  return [
    `**${status}**${waitingFor === '' ? '' : `: ${waitingFor}`}`,
    '',
    `- turn ${turn} of ${maxTurns}`,
    `- window: ${occupancy} of ${window} tokens (${share} %)`,
    `- spent: ${totalTokens(usage)} tokens`,
    ...(delegations === 0 ? [] : [`- delegations: ${delegations}, which spent ${totalTokens(delegatedUsage)} tokens`]),
    ...(transcript === null ? [] : [`- transcript: \`${transcript.hash.slice(0, 12)}\``]),
  ].join('\n');
}
