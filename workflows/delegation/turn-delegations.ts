import type { DeliveredToolResult } from '../../domain/delegation';
import { dispatchSubagentsName, isDispatchTool, type SessionEvent, type ToolCall } from '../../domain/tool';
import type { Agent } from '../agent/agent';
import { recordEvents } from '../session/change-session';
import { openSharedSession, type SharedSessionHandle } from '../session/shared-session';
import { type CapturedSession, captureSession } from '../session/transfer-session';
import { dispatchSubagent } from './dispatch-subagent';
import { dispatchSubagents } from './dispatch-subagents';
import { DelegationPreparation } from './prepare-delegations';

/** The delegations of one turn, planned before anything is awaited. */
export interface DelegationPlan {
  /** Ordinals of the calls that delegate. A batch takes one per delegation, of which this is the first. */
  readonly ordinals: ReadonlyMap<ToolCall, number>;
  /** The current session, from which all of them start. */
  readonly session: CapturedSession;
  /** Host of the session that the turn's batches share; undefined if the turn has no batch. */
  readonly host: Promise<SharedSessionHandle> | undefined;
  /** Number of delegations that have no share of the budget yet. */
  readonly queue: { length: number };
  /** Prepares the isolated ones. */
  readonly preparation: DelegationPreparation;
  /** Events that isolated delegations recorded in this agent's session while the host had a separate copy of it. */
  readonly recorded: SessionEvent[];
}

/** Plans the delegations of one turn, and starts to open its shared session. Undefined if no call delegates. */
export function planDelegations(agent: Agent, calls: readonly ToolCall[]): DelegationPlan | undefined {
  const given = new Set(agent.progress.opened.tools.names);
  const dispatches = calls.filter(({ name }) => isDispatchTool(name) && given.has(name));
  if (dispatches.length === 0) return undefined;
  const ordinals = new Map<ToolCall, number>();
  const first = agent.progress.delegations;
  let next = first;
  for (const call of dispatches) {
    ordinals.set(call, next);
    next += call.items ?? 1;
  }
  agent.progress = { ...agent.progress, delegations: next };
  const session = captureSession(agent);
  const hasBatch = dispatches.some(({ name, items = 0 }) => name === dispatchSubagentsName && items > 0);
  const host = hasBatch && session.problem === undefined ? openSharedSession(agent, session.transfer) : undefined;
  // Every batch awaits it. Until the first one does, a failure must not count as unhandled.
  host?.catch(() => undefined);
  const preparation = new DelegationPreparation(agent, session);
  return { ordinals, session, host, queue: { length: next - first }, preparation, recorded: [] };
}

/**
 * Carries out a call that delegates; undefined for any other call. `call` is the planned call, with the
 * arguments that an operator gave it.
 */
export function runPlanned(
  agent: Agent,
  plan: DelegationPlan | undefined,
  planned: ToolCall,
  call: ToolCall,
): Promise<DeliveredToolResult> | undefined {
  const ordinal = plan?.ordinals.get(planned);
  if (plan === undefined || ordinal === undefined) return undefined;
  const { session, host, queue, preparation, recorded } = plan;
  if (call.name === dispatchSubagentsName) {
    const opened = host ?? Promise.reject(new TypeError('A batch that is refused needs no host'));
    opened.catch(() => undefined);
    return dispatchSubagents(agent, call, ordinal, { session, host: opened, queue });
  }
  const record = (events: readonly SessionEvent[]): Promise<void> | undefined => {
    recorded.push(...events);
    return recordEvents(agent, events);
  };
  return dispatchSubagent(agent, call, ordinal, { session, preparation, record, queue });
}

/** Takes a call that is not carried out from the delegations that wait for a share of the budget. */
export function leaveQueue(plan: DelegationPlan | undefined, call: ToolCall): void {
  if (plan?.ordinals.has(call) === true) plan.queue.length -= call.items ?? 1;
}

/**
 * Closes the shared session and merges it into this agent's. Called when all its writers have ended. Returns a message
 * for the model if the session was lost.
 */
export async function mergeSharedSession(agent: Agent, plan: DelegationPlan): Promise<string | undefined> {
  const host = await openedHost(plan);
  if (host === undefined) return undefined;
  const lost = await host.close();
  // The merged session is the host's copy, which lacks these events. If this agent is itself a writer, its host has
  // them.
  if (lost === undefined && agent.shared === null) await recordEvents(agent, plan.recorded);
  return lost;
}

/** Releases the host when this agent ends before its delegations do. */
export async function abandonSharedSession(plan: DelegationPlan | undefined): Promise<void> {
  await (await openedHost(plan))?.abandon();
}

/** Undefined also when the host could not be opened, which each batch has reported. */
async function openedHost(plan: DelegationPlan | undefined): Promise<SharedSessionHandle | undefined> {
  return plan?.host?.catch(() => undefined);
}
