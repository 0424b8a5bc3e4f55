import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import { noUsage, totalTokens } from '../domain/model/usage';
import type { AgentProgress } from '../domain/run/progress';
import type { RunInput } from '../domain/run/input';
import type { RunSnapshot, RunStatus } from '../domain/run/result';
import { searchAttributes } from '../temporal-config/search-attributes';

/** What the outside sees of a run: the answer to `snapshot`, the current details in the Web UI, the search attributes. */
export class RunView {
  private status: RunStatus = 'starting';
  private waitingFor = 'its prompt';

  constructor(private readonly input: RunInput) {}

  show(progress: AgentProgress | undefined, status: RunStatus, waitingFor: string): void {
    this.status = status;
    this.waitingFor = waitingFor;
    setCurrentDetails(currentDetails(this.snapshot(progress)));
  }

  snapshot(progress: AgentProgress | undefined): RunSnapshot {
    const { runId, limits, model } = this.input;
    return {
      runId,
      status: this.status,
      turn: progress?.calls ?? 0,
      maxTurns: limits.maxTurns,
      model: model.name,
      usage: progress?.usage ?? noUsage,
      occupancy: progress?.occupancy ?? 0,
      window: model.window,
      waitingFor: this.waitingFor,
      storeId: progress?.opened.storeId ?? null,
      prompt: progress?.opened.prompt ?? null,
      transcript: progress?.head ?? null,
    };
  }

  close(progress: AgentProgress, status: 'completed' | 'failed' | 'cancelled'): void {
    this.show(progress, status, '');
    this.index(progress, status);
  }

  /** Only on a change of status, since each write is an event in history. */
  index(progress: AgentProgress, status: 'running' | 'completed' | 'failed' | 'cancelled'): void {
    if (!progress.opened.searchAttributes) return;
    upsertSearchAttributes([
      { key: searchAttributes.run, value: this.input.runId },
      { key: searchAttributes.status, value: status },
      { key: searchAttributes.depth, value: 0 },
    ]);
  }
}

function currentDetails({
  status,
  waitingFor,
  turn,
  maxTurns,
  occupancy,
  window,
  usage,
  transcript,
}: RunSnapshot): string {
  const share = Math.round((occupancy / window) * 100);
  return [
    `**${status}**${waitingFor === '' ? '' : `: ${waitingFor}`}`,
    '',
    `- turn ${turn} of ${maxTurns}`,
    `- window: ${occupancy} of ${window} tokens (${share} %)`,
    `- spent: ${totalTokens(usage)} tokens`,
    ...(transcript === null ? [] : [`- transcript: \`${transcript.hash.slice(0, 12)}\``]),
  ].join('\n');
}
