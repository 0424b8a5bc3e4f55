import { findPrice, type Price } from '../../domain/model';
import type { RunEvent } from '../event/record';
import type { AgentDraft, DraftIncident } from './agent-draft';
import { withCommand } from './view-failure';

/** Returns the path of an agent: its delegation ids from the root, joined by slashes. */
export function pathOf(workflowId: string): string {
  // Cut out, and not split and joined: this is asked several times for every event of a run.
  const end = workflowId.indexOf('/', workflowId.indexOf('/') + 1);
  return end === -1 ? '' : workflowId.slice(end + 1);
}

/** Finds prices of models. */
export type FindPrice = (model: string) => Price | undefined;

/** Prices without those of a run. */
export const knownPrice: FindPrice = (model) => findPrice(model);

/** Whether a tool starts agents. Waiting for them is not shown as the work of a tool. */
function startsAgents(tool: string): boolean {
  return tool.startsWith('dispatch_');
}

/** Notes what an event says about the agent in whose history it is. */
export function noteOwnEvent(draft: AgentDraft, event: RunEvent, priceOf: FindPrice): void {
  const at = Date.parse(event.at);
  switch (event.kind) {
    case 'agent.started':
      draft.model = event.model ?? draft.model;
      draft.activity = 'thinking';
      break;
    case 'agent.reset':
      draft.reopen();
      draft.incidents.clear();
      break;
    case 'turn':
      noteTurn(draft, event, priceOf);
      break;
    case 'tool':
      if (!startsAgents(event.tool))
        draft.endTool({ from: Date.parse(event.startedAt), to: at, isError: event.isError });
      if (!draft.hasToolsLeft) draft.activity = 'thinking';
      break;
    case 'model.replaced':
      draft.model = event.to;
      break;
    case 'agent.handedOver':
      draft.activity = 'handing over';
      break;
    case 'agent.continued':
      draft.activity = 'thinking';
      break;
    case 'agent.cancelRequested':
      draft.isCancelling = true;
      break;
    default:
      noteOperator(draft, event);
      noteEnd(draft, event, at);
  }
  updateSegments(draft, at);
}

function noteTurn(draft: AgentDraft, event: Extract<RunEvent, { kind: 'turn' }>, priceOf: FindPrice): void {
  draft.finishTools();
  const at = Date.parse(event.at);
  draft.countTurn(event.turn, event.usage, draft.model === null ? undefined : priceOf(draft.model));
  draft.close('model', at, { from: Date.parse(event.startedAt), turn: event.turn, label: 'thinking' });
  const tools = event.tools.filter((tool) => !startsAgents(tool));
  draft.beginTools(tools, at);
  if (tools.length === 0) draft.activity = event.tools.length > 0 ? 'running tools' : 'thinking';
}

function noteOperator(draft: AgentDraft, event: RunEvent): void {
  switch (event.kind) {
    case 'agent.parked':
      draft.incidents.set(event.incident, incidentOf(event));
      break;
    case 'agent.answered':
      if (event.action === 'skip' && !isAboutChild(draft.incidents.get(event.incident))) draft.skippedBy = event.by;
      draft.incidents.delete(event.incident);
      break;
    case 'agent.unanswered':
      draft.incidents.delete(event.incident);
      break;
    case 'agent.paused':
      draft.isPaused = true;
      break;
    case 'agent.resumed':
      draft.isPaused = false;
      break;
    default:
  }
}

function incidentOf(event: Extract<RunEvent, { kind: 'agent.parked' }>): DraftIncident {
  const { incident: id, incidentKind: kind, type, message, step, at: since } = event;
  return { id, kind, type, message, step, since };
}

/** Whether an incident is about a delegation that failed, and not about a step of the agent itself. */
function isAboutChild(incident: DraftIncident | undefined): boolean {
  return incident?.step.startsWith('delegation ') === true;
}

function noteEnd(draft: AgentDraft, event: RunEvent, at: number): void {
  const end = endOf(event, draft);
  if (end === undefined) return;
  draft.finishTools();
  draft.closeAll(at);
  draft.incidents.clear();
  draft.isPaused = false;
  draft.end = end;
  draft.endedAt = at;
}

function endOf(event: RunEvent, draft: AgentDraft): AgentDraft['end'] | undefined {
  switch (event.kind) {
    case 'agent.completed':
      return draft.skippedBy === undefined
        ? { state: 'completed', detail: '' }
        : { state: 'skipped', detail: draft.skippedBy === '' ? '' : `by ${draft.skippedBy}` };
    case 'agent.failed':
      draft.failure = withCommand(event.agent, event.failure);
      return { state: 'failed', detail: event.failure.type };
    case 'agent.cancelled':
      return { state: 'cancelled', detail: '' };
    case 'agent.terminated':
      draft.failure = withCommand(event.agent, { type: 'Terminated', message: event.reason });
      return { state: 'failed', detail: 'terminated' };
    case 'agent.timedOut':
      draft.failure = withCommand(event.agent, {
        type: 'TimedOut',
        message: 'The time limit of its workflow was reached.',
      });
      return { state: 'failed', detail: 'timed out' };
    default:
      return undefined;
  }
}

/** Notes in the row of a child how its parent saw it end, if the child itself could not say so. */
export function noteChildEnd(child: AgentDraft, event: RunEvent): void {
  if (child.end !== null) return;
  const at = Date.parse(event.at);
  const ends: Readonly<Partial<Record<RunEvent['kind'], AgentDraft['end']>>> = {
    'delegation.completed': { state: 'completed', detail: '' },
    'delegation.cancelled': { state: 'cancelled', detail: '' },
    'delegation.terminated': { state: 'failed', detail: 'terminated' },
    'delegation.timedOut': { state: 'failed', detail: 'timed out' },
  };
  const failed = event.kind === 'delegation.failed' ? withCommand(event.child, event.failure) : null;
  const end = failed === null ? ends[event.kind] : ({ state: 'failed', detail: failed.type } as const);
  if (end == null) return;
  child.failure = failed;
  child.end = end;
  child.endedAt = at;
  child.closeAll(at);
}

/** Begins and ends periods according to what the agent does now. */
export function updateSegments(draft: AgentDraft, at: number): void {
  if (draft.end !== null) return;
  if (draft.incidents.size > 0) draft.suspendTools(at);
  else draft.resumeTools(at);
  const waits = waitingFor(draft);
  if (waits !== undefined) {
    if (draft.openSegment('model') !== undefined) draft.close('model', at);
    draft.open('wait', at, waits);
    return;
  }
  if (draft.openSegment('wait') !== undefined) draft.close('wait', at);
  if (draft.thinks && draft.activity === 'thinking') draft.open('model', at, 'thinking');
}

/** What an agent waits for, in a few words; undefined when it works. */
export function waitingFor({ incidents, isPaused, openChildren }: AgentDraft): string | undefined {
  const [incident] = incidents.values();
  if (incident !== undefined) return incident.type;
  if (isPaused) return 'paused';
  if (openChildren.size > 0) return openChildren.size === 1 ? '1 agent' : `${openChildren.size} agents`;
  return undefined;
}
