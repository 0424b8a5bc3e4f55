import { dispatchSubagentName } from '../domain/dispatch/dispatch-subagent';
import { dispatchSubagentsName } from '../domain/dispatch/dispatch-subagents';
import { isDispatchTool } from '../domain/dispatch/tools';
import type { ToolCall, ToolExecution } from '../domain/tool/call';
import type { Agent } from './agent';
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
    agent.progress = { ...agent.progress, delegations: next };
    if (dispatches.length === 0) return;
    this.session = transferSession(agent);
    if (!dispatches.some(({ name, items = 0 }) => name === dispatchSubagentsName && items > 0)) return;
    this.host = openHost(agent, this.session.transfer);
    // Awaited by each batch; a failure must not count as unhandled before the first of them looks.
    this.host.catch(() => undefined);
  }

  /** Undefined for calls that are no delegations. */
  async run(call: ToolCall): Promise<ToolExecution | undefined> {
    const ordinal = this.ordinals.get(call);
    if (ordinal === undefined || this.session === undefined) return undefined;
    if (call.name === dispatchSubagentName) return dispatchSubagent(this.agent, call, ordinal, this.session);
    const host = this.host ?? Promise.reject(new TypeError('An empty batch needs no host'));
    host.catch(() => undefined);
    return dispatchSubagents(this.agent, call, ordinal, { session: this.session, host });
  }

  /** Takes the shared session back, once nobody works on it any more. */
  async close(): Promise<void> {
    await (await this.host)?.close();
  }
}
