import type { Client } from '@temporalio/client';
import type { StatusSnapshot } from '../../domain/agent';
import { ConcurrencyLimit } from '../../domain/kernel';
import { extractParent, indexOfBytes, startMarker } from '../../domain/prompt';
import type { RunStore } from '../../domain/store';
import { getPromptRecord, loadPrompt } from '../../store/prompts';
import { readRecordedAgent } from '../agent/history';
import { queryAgentStatus } from '../agent/outcome';
import type { RunFigures } from '../spending/run-figures';
import type { LoggedAgent } from './from-events';
import type { ReportAgent, ReportPrompt } from './report-model';

const maxConcurrent = 8;
/**
 * Maximum bytes of embedded parent prompts. Beyond it they are omitted; each is on the page as its agent's own
 * prompt.
 */
const maxEmbeddedBytes = 4 * 1024 * 1024;
const snapshotTimeoutMs = 5_000;

/** Reads what the events don't contain about an agent: its prompt, its figures, and operator decisions. */
export class AgentFacts {
  private readonly limit = new ConcurrencyLimit(maxConcurrent);
  private readonly prompts: ReportPrompts;
  /** Whether a Query was not answered. From then on, none is made. */
  isUnreachable = false;

  constructor(
    private readonly client: Client,
    store: RunStore | undefined,
    private readonly figures: RunFigures,
    private readonly gaps: string[],
  ) {
    this.prompts = new ReportPrompts(store, gaps);
  }

  /** Adds these facts to an agent. What can't be read is null or empty, and is reported once in `gaps`. */
  complete(agent: LoggedAgent): Promise<ReportAgent> {
    return this.limit.run(async () => {
      const { opened } = await readRecordedAgent(this.client, agent.workflowId);
      const snapshot = await this.snapshot(agent.workflowId);
      return {
        ...this.estimate(agent),
        // The events of a root only have the model that its input names.
        model: snapshot?.model ?? agent.model,
        skill: opened?.skill ?? snapshot?.skill ?? null,
        injectedTokens: opened?.injectedTokens ?? snapshot?.injectedTokens ?? null,
        activeTokens: snapshot?.activeTokens ?? null,
        prompt: opened === undefined ? null : await this.prompts.read(opened.prompt),
        incidents: snapshot?.incidents ?? [],
        decisions: snapshot?.decisions ?? [],
        handoffs: snapshot?.handoffs ?? [],
      };
    });
  }

  /** Adds what can be said about an agent without further requests. */
  estimate({ isNotable: _notable, hasArtifacts: _artifacts, ...agent }: LoggedAgent): ReportAgent {
    const { own, withDelegations } = this.figures.of(agent.workflowId);
    return {
      ...agent,
      ...own,
      withDelegations,
      skill: null,
      injectedTokens: null,
      activeTokens: null,
      prompt: null,
      incidents: [],
      decisions: [],
      handoffs: [],
    };
  }

  private async snapshot(workflowId: string): Promise<StatusSnapshot | undefined> {
    if (this.isUnreachable) return undefined;
    const snapshot = await queryAgentStatus(this.client, workflowId, snapshotTimeoutMs);
    if (snapshot === undefined) this.reportUnreachable();
    return snapshot;
  }

  /** Agents are queried in parallel, but an unreachable worker is reported once. */
  reportUnreachable(): void {
    if (!this.isUnreachable)
      this.gaps.push('No worker answered: tokens read with tools, incidents and decisions are missing.');
    this.isUnreachable = true;
  }
}

/** Reads the prompts of a report. What can't be read is null, and is reported once in `gaps`. */
export class ReportPrompts {
  private embedded = 0;
  private unreadable = false;

  constructor(
    private readonly store: RunStore | undefined,
    private readonly gaps: string[],
  ) {}

  /** Reads a prompt, divided into its own text and the parent's prompt that it embeds. */
  async read(ref: StatusSnapshot['prompt']): Promise<ReportPrompt | null> {
    if (this.store === undefined || ref === null) return null;
    try {
      const { origin } = await getPromptRecord(this.store, ref, 'report');
      const bytes = await loadPrompt(this.store, ref, 'report');
      const isComposed = origin.kind === 'composed';
      const parts = promptParts(bytes, ref.hash, isComposed, this.embedded < maxEmbeddedBytes);
      this.embedded += parts.parent?.bytes ?? 0;
      return parts;
    } catch (error) {
      if (!this.unreadable)
        this.gaps.push(`Not every prompt can be read: ${error instanceof Error ? error.message : String(error)}`);
      this.unreadable = true;
      return null;
    }
  }
}

const decoder = new TextDecoder('utf-8');

/** Splits a prompt into the embedded prompt of its parent and the text before and after it. */
function promptParts(bytes: Uint8Array, hash: string, isComposed: boolean, withParent: boolean): ReportPrompt {
  const whole = { hash, bytes: bytes.length, before: decoder.decode(bytes), parent: null, after: '' };
  if (!isComposed) return whole;
  const embedded = parentIn(bytes);
  if (embedded === undefined) return whole;
  const start = embedded.byteOffset - bytes.byteOffset;
  return {
    hash,
    bytes: bytes.length,
    before: decoder.decode(bytes.subarray(0, start)),
    parent: { text: withParent ? decoder.decode(embedded) : null, bytes: embedded.length },
    after: decoder.decode(bytes.subarray(start + embedded.length)),
  };
}

/** Returns a view into the same bytes, so that its offset is known. */
function parentIn(bytes: Uint8Array): Uint8Array | undefined {
  if (indexOfBytes(bytes, new TextEncoder().encode(startMarker), 0) === -1) return undefined;
  try {
    return extractParent(bytes);
  } catch {
    return undefined;
  }
}
