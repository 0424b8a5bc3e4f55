import type { DeliveredToolResult } from '../../domain/delegation';
import { dispatchSubagentsName, isDispatchTool, type SessionEvent, type ToolCall } from '../../domain/tool';
import type { Agent } from '../agent/agent';
import { recordEvents } from '../session/change-session';
import { openSharedSession, type SharedSessionHandle } from '../session/shared-session';
import { type CapturedSession, captureSession } from '../session/transfer-session';
import { dispatchSubagent } from './dispatch-subagent';
import { dispatchSubagents } from './dispatch-subagents';

/**
 * The delegations of one turn. All start from the current session, and their ordinals are assigned before anything is
 * awaited.
 */
export class TurnDelegations {
  private readonly ordinals = new Map<ToolCall, number>();
  private readonly session: CapturedSession | undefined;
  private readonly host: Promise<SharedSessionHandle> | undefined;
  /** Events that isolated delegations recorded in this agent's session while the host had a separate copy of it. */
  private readonly recorded: SessionEvent[] = [];
  /** Number of this turn's delegations that have no share of the budget yet. */
  private readonly queue = { length: 0 };

  constructor(
    private readonly agent: Agent,
    calls: readonly ToolCall[],
  ) {
    const given = new Set(agent.progress.opened.tools.names);
    const dispatches = calls.filter(({ name }) => isDispatchTool(name) && given.has(name));
    let next = agent.progress.delegations;
    for (const call of dispatches) {
      this.ordinals.set(call, next);
      next += call.items ?? 1;
    }
    this.queue.length = next - agent.progress.delegations;
    agent.progress = { ...agent.progress, delegations: next };
    if (dispatches.length === 0) return;
    this.session = captureSession(agent);
    if (!dispatches.some(({ name, items = 0 }) => name === dispatchSubagentsName && items > 0)) return;
    this.host = openSharedSession(agent, this.session.transfer);
    // Every batch awaits it. Until the first one does, a failure must not count as unhandled.
    this.host.catch(() => undefined);
  }

  /** Carries out a call that delegates; undefined for any other call. */
  run(call: ToolCall): Promise<DeliveredToolResult> | undefined {
    const ordinal = this.ordinals.get(call);
    if (ordinal === undefined || this.session === undefined) return undefined;
    if (call.name !== dispatchSubagentsName) return this.runIsolated(call, ordinal, this.session);
    const host = this.host ?? Promise.reject(new TypeError('An empty batch needs no host'));
    host.catch(() => undefined);
    return dispatchSubagents(this.agent, call, ordinal, { session: this.session, host, queue: this.queue });
  }

  private runIsolated(call: ToolCall, ordinal: number, session: CapturedSession): Promise<DeliveredToolResult> {
    const record = (events: readonly SessionEvent[]): Promise<void> | undefined => {
      this.recorded.push(...events);
      return recordEvents(this.agent, events);
    };
    return dispatchSubagent(this.agent, call, ordinal, { session, record, queue: this.queue });
  }

  /** Whether delegations of this turn share a session, which has to be merged afterwards. */
  get hasSharedSession(): boolean {
    return this.host !== undefined;
  }

  /**
   * Closes the shared session and merges it into this agent's. Called when all its writers have ended. Returns a
   * message for the model if the session was lost.
   */
  async close(): Promise<string | undefined> {
    const host = await this.opened();
    if (host === undefined) return undefined;
    const lost = await host.close();
    // The merged session is the host's copy, which lacks these events. If this agent is itself a writer, its host has
    // them.
    if (lost === undefined && this.agent.shared === null) await recordEvents(this.agent, this.recorded);
    return lost;
  }

  /** Releases the host when this agent ends before its delegations do. */
  async abandon(): Promise<void> {
    await (await this.opened())?.abandon();
  }

  /** Undefined also when the host could not be opened, which each batch has reported. */
  private async opened(): Promise<SharedSessionHandle | undefined> {
    return this.host?.catch(() => undefined);
  }
}
