import { dispatchSubagentsName } from '../domain/dispatch/dispatch-subagents';
import { isDispatchTool } from '../domain/dispatch/tools';
import type { DeliveredExecution } from '../domain/dispatch/executions';
import type { ToolCall } from '../domain/tool/call';
import type { SessionEvent } from '../domain/tool/event';
import type { Agent } from './agent';
import { recordEvents } from './change-session';
import { dispatchSubagent } from './dispatch-subagent';
import { dispatchSubagents } from './dispatch-subagents';
import { openHost, type OpenHost } from './shared-host';
import { transferSession, type SessionInTransfer } from './transfer-session';

/**
 * The delegations of one turn. All of them start from the session as it is now, and have their ordinals before anything
 * is awaited.
 */
export class Dispatches {
  private readonly ordinals = new Map<ToolCall, number>();
  private readonly session: SessionInTransfer | undefined;
  private readonly host: Promise<OpenHost> | undefined;
  /** What isolated delegations recorded in this agent's session while its host had another copy of it. */
  private readonly recorded: SessionEvent[] = [];
  /** Delegations of this turn that have no share of the budget yet. */
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
    this.session = transferSession(agent);
    if (!dispatches.some(({ name, items = 0 }) => name === dispatchSubagentsName && items > 0)) return;
    this.host = openHost(agent, this.session.transfer);
    // Awaited by each batch; a failure must not count as unhandled before the first of them looks.
    this.host.catch(() => undefined);
  }

  /** Undefined for calls that are no delegations. */
  run(call: ToolCall): Promise<DeliveredExecution> | undefined {
    const ordinal = this.ordinals.get(call);
    if (ordinal === undefined || this.session === undefined) return undefined;
    if (call.name !== dispatchSubagentsName) return this.runIsolated(call, ordinal, this.session);
    const host = this.host ?? Promise.reject(new TypeError('An empty batch needs no host'));
    host.catch(() => undefined);
    return dispatchSubagents(this.agent, call, ordinal, { session: this.session, host, queue: this.queue });
  }

  private runIsolated(call: ToolCall, ordinal: number, session: SessionInTransfer): Promise<DeliveredExecution> {
    const record = (events: readonly SessionEvent[]): Promise<void> | undefined => {
      this.recorded.push(...events);
      return recordEvents(this.agent, events);
    };
    return dispatchSubagent(this.agent, call, ordinal, { session, record, queue: this.queue });
  }

  /** Whether delegations of this turn share a session, which has to be taken back. */
  get haveHost(): boolean {
    return this.host !== undefined;
  }

  /** Takes the shared session back, once nobody works on it any more; or says in words for the model that it is lost. */
  async close(): Promise<string | undefined> {
    const host = await this.opened();
    if (host === undefined) return undefined;
    const lost = await host.close();
    // What came back is the host's copy; a session that others host has these events already.
    if (lost === undefined && this.agent.shared === null) await recordEvents(this.agent, this.recorded);
    return lost;
  }

  /** When this agent ends before its delegations do. */
  async abandon(): Promise<void> {
    await (await this.opened())?.abandon();
  }

  /** Undefined also when it could not be opened, which each batch has reported. */
  private async opened(): Promise<OpenHost | undefined> {
    return this.host?.catch(() => undefined);
  }
}
