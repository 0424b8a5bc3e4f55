import type {
  DelegationEvent,
  EventBody,
  Failure,
  LifecycleEvent,
  OperatorEvent,
  RunEvent,
  SessionEventRecord,
  WorkEvent,
} from '../../client/event/record';
import { formatCount, formatDuration, formatTotalTokens, oneLine, plural } from '../../client/format';
import { commandFor } from '../../client/operator/decide';
import { abbreviateId } from '../../domain/kernel';
import type { TimeOption } from '../screen/time-option';
import { formatDecided } from './show-rows';

/** Formats an event as one line: time, agent (indented by depth) and what happened. */
export function eventLine(event: RunEvent, { utc = false }: TimeOption = {}): string {
  const [, , ...path] = event.agent.split('/');
  const last = path.at(-1);
  const who = last === undefined ? 'root' : abbreviateId(last);
  const when = utc ? event.at : localTime(new Date(event.at));
  return `${when}  ${'  '.repeat(path.length)}${who}  ${eventWords(event)}`;
}

/** Formats a local time to the millisecond, because events of one agent follow each other closely. */
function localTime(at: Date): string {
  const digits = (value: number, count = 2): string => `${value}`.padStart(count, '0');
  const day = [at.getFullYear(), digits(at.getMonth() + 1), digits(at.getDate())].join('-');
  const clock = [at.getHours(), at.getMinutes(), at.getSeconds()].map((part) => digits(part)).join(':');
  return `${day} ${clock}.${digits(at.getMilliseconds(), 3)}`;
}

/** Says what happened, in one line without time and agent. */
export function eventWords(event: RunEvent): string {
  return oneLine(describeEvent(event, event.agent));
}

function describeEvent(event: EventBody, agent: string): string {
  switch (event.kind) {
    case 'turn': {
      const calls = event.tools.length === 0 ? '' : `, calls ${event.tools.join(', ')}`;
      const attempts = event.attempts === undefined ? '' : `, ${plural(event.attempts, 'attempt')}`;
      return `turn ${event.turn}: ${event.stopReason}, ${formatTotalTokens(event.usage)} tokens, ${formatDuration(event.ms)}${attempts}${calls}`;
    }
    case 'tool':
      return describeCall(event);
    case 'session.event':
      return describeSessionEvent(event);
    case 'session.refused':
      return `session: request from ${abbreviateId(event.writer)} refused (${event.reason})`;
    case 'session.shared':
    case 'session.returned':
    case 'session.lost':
      return `session ${event.kind.slice('session.'.length)}, host ${abbreviateId(lastOf(event.host))}`;
    case 'agent.parked':
    case 'agent.answered':
    case 'agent.unanswered':
    case 'agent.paused':
    case 'agent.resumed':
    case 'agent.steered':
      return describeOperatorEvent(event, agent);
    case 'agent.told':
    case 'turn.withheld':
    case 'model.replaced':
    case 'answer.refused':
    case 'handoff.refused':
    case 'agent.handedOver':
    case 'tools.changed':
      return describeWorkEvent(event);
    default:
      return isDelegation(event) ? describeDelegation(event) : describeLifecycle(event);
  }
}

type CallEvent = Extract<EventBody, { kind: 'tool' }>;

/** Names the call with its arguments, and says what it returned. */
function describeCall({ tool, isError, failure, arguments: input, result, ms }: CallEvent): string {
  const call = input === undefined ? tool : `${tool} ${oneLine(input, maxPart)}`;
  const said = result === undefined ? '' : `: ${oneLine(result, maxPart)}`;
  const took = ms < 1_000 ? '' : `, ${formatDuration(ms)}`;
  return `tool ${call}: ${failure === undefined ? `${outcome(isError)}${took}${said}` : because(failure)}`;
}

/** Maximum characters of arguments and results. */
const maxPart = 70;

function isDelegation(event: LifecycleEvent | DelegationEvent): event is DelegationEvent {
  return event.kind.startsWith('delegation.');
}

function describeSessionEvent({ type, value, status, version, writer, reason }: SessionEventRecord): string {
  const at = version === undefined ? '' : ` v${version}`;
  const why = reason === undefined ? '' : ` (${reason})`;
  return `session${at}: ${type} by ${abbreviateId(writer)} ${status}${why} ${JSON.stringify(value)}`;
}

function describeDelegation(event: DelegationEvent): string {
  const what = `delegation ${abbreviateId(event.delegationId)} ${event.kind.slice('delegation.'.length)}`;
  switch (event.kind) {
    case 'delegation.started':
    case 'delegation.adopted':
      return `${what} (${event.tool ?? 'unknown tool'}): ${event.headline}`;
    case 'delegation.refused':
      return `${what}: ${event.reason}`;
    case 'delegation.failed':
      return `${what}: ${because(event.failure)}`;
    case 'delegation.completed':
      return `${what}: ${formatTotalTokens(event.usage)} tokens`;
    default:
      return what;
  }
}

/** Formats the event kind, plus the reason, failure or model if there is one. */
function describeLifecycle(event: LifecycleEvent): string {
  const what = event.kind.replace('.', ' ');
  if ('failure' in event) return `${what}: ${because(event.failure)}`;
  if ('reason' in event) return event.reason === '' ? what : `${what}: ${event.reason}`;
  return 'model' in event && event.model !== null ? `${what}, ${event.model}` : what;
}

function outcome(isError: boolean): string {
  return isError ? 'error' : 'ok';
}

function because({ type, message }: Failure): string {
  return `${type}: ${message}`;
}

function lastOf(workflowId: string): string {
  return workflowId.slice(workflowId.lastIndexOf('/') + 1);
}

/** Returns the command that answers a call or a question. */
function answerHint(agent: string, { type, incident }: { readonly type: string; readonly incident: string }): string {
  const action = type === 'Tool.NeedsApproval' ? 'approve' : type === 'Agent.Question' ? 'answer' : undefined;
  return action === undefined ? '' : ` (${commandFor(action, agent, incident)})`;
}

/** Describes an event that involves an operator. */
function describeOperatorEvent(event: OperatorEvent, agent: string): string {
  switch (event.kind) {
    case 'agent.parked':
      return `needs an operator: ${event.incident}, ${event.step}, ${event.type}${answerHint(agent, event)}: ${event.message}`;
    case 'agent.answered':
      return `operator: ${event.action} ${event.incident}${formatDecided(event)}${attribution(event)}`;
    case 'agent.unanswered':
      return `no operator answered ${event.incident} in time`;
    case 'agent.steered':
      return `operator: steer${attribution({ by: event.by, note: event.text })}`;
    default: {
      const what = event.kind === 'agent.paused' ? 'pause' : 'resume';
      return event.by === null
        ? `${what}d by its parent`
        : `operator: ${what}${attribution({ ...event, by: event.by })}`;
    }
  }
}

function attribution({ by, note }: { readonly by: string; readonly note: string }): string {
  return `${by === '' ? '' : ` (${by})`}${note === '' ? '' : `: ${note}`}`;
}

type LimitEvent = Exclude<WorkEvent, { kind: 'turn' | 'tool' }>;

/** Describes an event of an agent's work other than a turn or a tool call. */
function describeWorkEvent(event: LimitEvent): string {
  switch (event.kind) {
    case 'agent.told':
      return `told with turn ${event.turn}: ${event.text}`;
    case 'turn.withheld':
      return `turn ${event.turn}: model call not made (${event.reason}): ${event.message}`;
    case 'model.replaced':
      return `turn ${event.turn}: ${event.from} failed, and ${event.to} takes over (${because(event.failure)})`;
    case 'answer.refused':
      return `answer refused, wrong output format: ${event.violation}`;
    case 'handoff.refused':
      return `handoff refused, wrong format: ${event.violation}`;
    case 'agent.handedOver':
      return `handed off (${event.handoff}): ${event.artifact}, ${formatCount(event.artifactTokens)} tokens`;
    case 'tools.changed':
      return `tools: ${describeToolChange(event)}`;
  }
}

function describeToolChange({
  granted,
  revoked,
  refused,
  found = [],
}: Extract<LimitEvent, { kind: 'tools.changed' }>): string {
  const groups: [string, readonly string[]][] = [
    ['granted', granted],
    ['found', found],
    ['revoked', revoked],
    ['not granted, because the root does not have it:', refused],
  ];
  const parts = groups.flatMap(([what, names]) => (names.length === 0 ? [] : [`${what} ${names.join(', ')}`]));
  return parts.join('; ') || 'nothing changed';
}
